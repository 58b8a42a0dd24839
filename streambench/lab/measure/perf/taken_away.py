"""What cores that others take away do to a stream, whoever processes it: a queue that nothing else holds up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from streambench.host.limits import allowed_cpus
from streambench.host.placement import core_order
from streambench.lab.host.interference import gaps

Gaps = Sequence[Sequence[tuple[int, int]]]
"""Of each core when it was away: (ns since the beginning, ns)."""

STEP = 10_000  # ns: as fine as delays are told
P99 = 99


def delay_alone(place: str, cores: int, seconds: float, load: float) -> float:
    """Watch so many cores for so long, with threads that do nothing else; see `delay`, the 99th percentile."""
    seen = tuple(core_order(tuple(allowed_cpus()), place)[:cores])
    return delay(gaps(seen, seconds), round(seconds * 1e9), load, P99)


def delay(gaps: Gaps, lasted: int, load: float, percent: float) -> float:
    """A percentile, in seconds, of the time from arrival of a stream that comes evenly for ``lasted`` ns, needs
    ``load`` of what the cores do, and waits only where these are away. What is not through then has waited until then.

    Each core does its part of the work while it is there, and any core any of it: so real workers do no better.
    """
    steps = max(1, lasted // STEP)
    there = np.ones((len(gaps), steps))
    for core, away in zip(there, gaps, strict=True):
        for begin, length in away:
            first = begin // STEP
            core[first : first + max(1, round(length / STEP))] = 0.0
    come = np.arange(1.0, steps + 1.0)  # work, in what comes in a step
    unhindered = np.cumsum(1.0 - there.mean(axis=0) / load)
    waiting = unhindered - np.minimum(np.minimum.accumulate(unhindered), 0.0)
    through = np.searchsorted(come - waiting, come - 1e-9)  # the step in which what came in each one is through
    waits = np.minimum(through, steps) - np.arange(steps)
    return float(np.percentile(np.maximum(waits, 0), percent)) * STEP / 1e9
