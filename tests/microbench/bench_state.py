"""Hash tables that count by key: ours, given a unit's keys at once or one by one, and those that perf has beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from streambench.lab.measure.perf.hash_tables import ABSEIL, TABLES, compiled

KEYS = 65_536
DISTINCT = 10_000
UNIT = 2048


@pytest.mark.benchmark(group="hash tables")
@pytest.mark.parametrize("table", [each for each in TABLES if each != ABSEIL])
def bench_count_by_key(once: Callable[..., Any], table: str) -> None:
    """65,536 keys, of which 10,000 differ, counted by an empty table that has its memory, 2048 at a time."""
    keys = np.random.default_rng(1).integers(0, DISTINCT, KEYS).astype(np.uint64)
    found = compiled()[table]()
    found.measure(keys, UNIT)

    def emptied() -> Any:
        found.forget()
        return found

    _, counts = once(emptied, lambda table: table.measure(keys, UNIT), KEYS)
    assert counts.max() == np.bincount(keys.astype(np.int64)).max()
