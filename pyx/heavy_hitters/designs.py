"""The designs by the names that users choose them by."""

from __future__ import annotations

from streambench.pyx.heavy_hitters.cooperative import Cooperative
from streambench.pyx.heavy_hitters.cooperative_lossy import CooperativeLossy
from streambench.pyx.heavy_hitters.fast_summary import FastSummary
from streambench.pyx.heavy_hitters.hybrid import Hybrid
from streambench.pyx.heavy_hitters.independent import Independent
from streambench.pyx.heavy_hitters.independent_fast import IndependentFast
from streambench.pyx.heavy_hitters.locked_summary import LockedSummary
from streambench.pyx.heavy_hitters.lossy_counting import LossyCounting
from streambench.pyx.heavy_hitters.shared import Shared
from streambench.pyx.heavy_hitters.stream_summary import StreamSummary
from streambench.pyx.heavy_hitters.summary import Summary

DESIGNS: dict[str, type[Summary]] = {
    "fast": FastSummary,
    "independent-fast": IndependentFast,
    "sequential": StreamSummary,
    "locked": LockedSummary,
    "lossy": LossyCounting,
    "independent": Independent,
    "shared": Shared,
    "hybrid": Hybrid,
    "cooperative": Cooperative,
    "cooperative-lossy": CooperativeLossy,
}


def design_named(name: str) -> type[Summary]:
    """The class of the design of this name. Raises ValueError where there is none."""
    if name not in list(DESIGNS):
        raise ValueError(f"there is no design {name!r}: choose from {', '.join(DESIGNS)}")
    return DESIGNS[name]
