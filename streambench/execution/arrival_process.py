"""When the tuples of an open loop arrive: at equal intervals, as a Poisson process, in bursts, or in steps; by seed.

All have the same mean rate. A latency is counted from the intended arrival, whether or not the pipeline was ready
to take the tuple: so a stall counts for all that came meanwhile (no coordinated omission).
"""

from __future__ import annotations

import functools
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

Schedule = tuple[npt.NDArray[np.int64], int]
"""Nanoseconds after the start of a period at which its tuples are due, ascending, and the nanoseconds of a period."""

Arrivals = Literal["constant", "poisson", "bursts", "steps"]
ARRIVALS: tuple[Arrivals, ...] = get_args(Arrivals)
PERIOD = 1 << 20  # tuples, after which a schedule comes again: memory is bounded
BURST_SHARE = 0.25  # of the time there are bursts, so that in one tuples come at four times the rate
CYCLE = 0.01  # s from burst to burst on the average
CYCLE_TUPLES = 100  # at least, on the average, where the rate is low
STEPS = (10.0, 90.0, 10.0)  # the rates of a period's parts, equally long; their mean is the rate that is asked for


@functools.lru_cache(maxsize=2)  # the repeats of a run have the same
def schedule(arrivals: str, rate: float, seed: int, tuples: int = PERIOD) -> Schedule | None:
    """A period of ``tuples`` at ``rate`` tuples per second; None for equal intervals, which need no table.

    ``poisson``: so many points, independent and uniform in the period, which is what a Poisson process is, given how
    many there are. ``bursts``: an interrupted Poisson process (Kuczura 1973): bursts and silences last exponentially
    distributed times, and in a burst tuples come as a Poisson process. ``steps``: at equal intervals, nine times as
    close in the middle third of the period as before and after it.
    """
    if arrivals == "constant":
        return None
    if arrivals == "steps":
        return _table(_stepped(tuples), tuples / rate)
    draw = np.random.default_rng(seed)
    seconds = tuples / rate
    places = np.sort(draw.random(tuples))
    if arrivals == "bursts":
        places = _interrupted(places, seconds / max(CYCLE, CYCLE_TUPLES / rate), draw)
    return _table(places, seconds)


def period(arrivals: str, tuples: int | None) -> int:
    """The tuples of a period, where the stream has so many: steps are of the whole stream, if it is not too long."""
    return max(1, min(PERIOD, tuples)) if arrivals == "steps" and tuples is not None else PERIOD


def step_seconds(rate: float, tuples: int) -> tuple[float, ...]:
    """Seconds after the start at which the rate steps, in a stream that has one period."""
    return tuple(part / len(STEPS) * tuples / rate for part in range(1, len(STEPS)))


def _table(places: npt.NDArray[np.float64], seconds: float) -> Schedule:
    """A schedule from places in a period that is so long."""
    span = max(1, round(seconds * 1e9))
    due = np.minimum((places * span).astype(np.int64), span - 1)
    due.setflags(write=False)
    return due, span


def _stepped(tuples: int) -> npt.NDArray[np.float64]:
    """Places in a period, one after the other at the steps' rates."""
    come = np.cumsum([0.0, *STEPS]) / sum(STEPS)  # the part of the tuples that has come by the end of each step
    middle = (np.arange(tuples) + 0.5) / tuples
    return np.asarray(np.interp(middle, come, np.linspace(0.0, 1.0, len(STEPS) + 1)), dtype=float)


def due_seconds(
    index: npt.NDArray[np.int64], arrivals: str, rate: float, seed: int, tuples: int = PERIOD
) -> npt.NDArray[np.float64]:
    """Seconds after the start at which the tuples with these places in the stream are due."""
    table = schedule(arrivals, rate, seed, tuples)
    if table is None:
        return np.asarray((index + 1) / rate, dtype=float)  # as `arrival.pxd` lets them in
    due, period = table
    return np.asarray((index // len(due) * period + due[index % len(due)]) * 1e-9, dtype=float)


def _interrupted(places: npt.NDArray[np.float64], cycles: float, draw: np.random.Generator) -> npt.NDArray[np.float64]:
    """From places in the time of bursts, in parts of all of it, to places in the whole time, silences included."""
    count = max(1, round(cycles))
    bursts, silences = draw.exponential(BURST_SHARE, count), draw.exponential(1 - BURST_SHARE, count)
    ends = np.cumsum(bursts)
    begins = np.cumsum(bursts + silences) - bursts - silences  # in the whole time; a cycle begins with its burst
    cycle = np.minimum(np.searchsorted(ends, places * ends[-1], side="right"), count - 1)
    within = places * ends[-1] - (ends - bursts)[cycle]
    points: npt.NDArray[np.float64] = (begins[cycle] + within) / (bursts.sum() + silences.sum())
    return points
