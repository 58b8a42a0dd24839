"""The distance between the cores that a measurement uses, and whether it stayed the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from streambench.host.limits import allowed_cpus
from streambench.host.placement import core_order

ATTEMPTS = 3
MOST_PAIRS = 16  # neighbours in the order of core numbers; more would only take time
MOVED = 2.0  # a round trip that grew by this factor is no noise: the host has moved a virtual core


def round_trips(cores: Sequence[int] | None = None) -> dict[str, float]:
    """Nanoseconds for a cache line's round trip between neighbouring ``cores`` (None: all allowed), by "first-second".

    The median of a few short measurements; empty of one core.
    """
    from streambench.pyx.machine.core_distance import round_trip_ns

    pairs = list(pairwise(allowed_cpus() if cores is None else cores))[:MOST_PAIRS]
    return {f"{a}-{b}": round(median(round_trip_ns(a, b) for _ in range(ATTEMPTS)), 1) for a, b in pairs}


def longest(workers: int | None = None, place: str = "compact") -> float | None:
    """The longest of them between the cores that so many ``workers`` take at this ``place`` (None: between all).

    None where this process may use one core only, or start no threads, as a run will tell.
    """
    cores = None if workers is None else core_order(tuple(allowed_cpus()), place)[: max(workers, 2)]
    try:
        return max(round_trips(cores).values(), default=None)
    except RuntimeError:
        return None


def warning(measured: Sequence[float]) -> str | None:
    """A sentence if round trips of one pair of cores, measured from time to time, differ by a factor of 2 or more."""
    if len(measured) < 2 or max(measured) < MOVED * min(measured):
        return None
    return (
        f"the cores' distance changed while it was measured (a cache line's round trip took {min(measured):.0f} to "
        f"{max(measured):.0f} ns): the host moves virtual cores, so runs with several workers fall into two groups"
    )
