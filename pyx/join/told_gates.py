"""The gates' twins, which tell a simulated machine what their lines are."""

from __future__ import annotations

from typing import Any

from streambench.pyx.join.ring_gate_told import RingGate
from streambench.pyx.join.skip_list_gate_told import SkipListGate

from streambench.pyx.tuples.errors import UnfitOptionError

KINDS = {"ring": RingGate, "skip-list": SkipListGate}


def make_told_gate(kind: str, types: Any, readers: int = 1, capacity: int = 4096) -> Any:
    """As ``make_gate``."""
    if kind not in KINDS:
        raise UnfitOptionError(f"there is no gate {kind!r}: choose from {', '.join(KINDS)}")
    return KINDS[kind](types, readers, capacity)
