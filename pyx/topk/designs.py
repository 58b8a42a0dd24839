"""The designs by the names that users choose them by."""

from __future__ import annotations

from streambench.pyx.topk.cooperative import Cooperative
from streambench.pyx.topk.cooperative_lossy import CooperativeLossy
from streambench.pyx.topk.fast_summary import FastSummary
from streambench.pyx.topk.hashed import Hashed
from streambench.pyx.topk.hybrid import Hybrid
from streambench.pyx.topk.independent import Independent
from streambench.pyx.topk.independent_fast import IndependentFast
from streambench.pyx.topk.locked_summary import LockedSummary
from streambench.pyx.topk.lossy_counting import LossyCounting
from streambench.pyx.topk.shared import Shared
from streambench.pyx.topk.shared_blocking import Shared as SharedBlocking
from streambench.pyx.topk.stream_summary import StreamSummary
from streambench.pyx.topk.summary import Summary

DESIGNS: dict[str, type[Summary]] = {
    "fast": FastSummary,
    "independent-fast": IndependentFast,
    "sequential": StreamSummary,
    "locked": LockedSummary,
    "lossy": LossyCounting,
    "independent": Independent,
    "shared": Shared,
    "shared-blocking": SharedBlocking,
    "hybrid": Hybrid,
    "hashed": Hashed,
    "cooperative": Cooperative,
    "cooperative-lossy": CooperativeLossy,
}


def design_named(name: str) -> type[Summary]:
    """The class of the design of this name. Raises ValueError where there is none."""
    if name not in list(DESIGNS):
        raise ValueError(f"there is no design {name!r}: choose from {', '.join(DESIGNS)}")
    return DESIGNS[name]
