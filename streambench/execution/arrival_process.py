"""When the tuples of an open loop arrive: at equal intervals, as a Poisson process, or in bursts; by seed.

All three have the same mean rate. A latency is counted from the intended arrival, whether or not the pipeline was ready
to take the tuple: so a stall counts for all that came meanwhile (no coordinated omission).
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

Schedule = tuple[npt.NDArray[np.int64], int]
"""Nanoseconds after the start of a period at which its tuples are due, ascending, and the nanoseconds of a period."""

ARRIVALS = ("constant", "poisson", "bursts")
PERIOD = 1 << 20  # tuples, after which a schedule comes again: memory is bounded
BURST_SHARE = 0.25  # of the time there are bursts, so that in one tuples come at four times the rate
CYCLE = 0.01  # s from burst to burst on the average
CYCLE_TUPLES = 100  # at least, on the average, where the rate is low


@functools.lru_cache(maxsize=2)  # the repeats of a run have the same
def schedule(arrivals: str, rate: float, seed: int, tuples: int = PERIOD) -> Schedule | None:
    """A period of ``tuples`` at ``rate`` tuples per second; None for equal intervals, which need no table.

    ``poisson``: so many points, independent and uniform in the period, which is what a Poisson process is, given how
    many there are. ``bursts``: an interrupted Poisson process (Kuczura 1973): bursts and silences last exponentially
    distributed times, and in a burst tuples come as a Poisson process.
    """
    if arrivals == "constant":
        return None
    draw = np.random.default_rng(seed)
    seconds = tuples / rate
    places = np.sort(draw.random(tuples))
    if arrivals == "bursts":
        places = _interrupted(places, seconds / max(CYCLE, CYCLE_TUPLES / rate), draw)
    period = max(1, round(seconds * 1e9))
    due = np.minimum((places * period).astype(np.int64), period - 1)
    due.setflags(write=False)
    return due, period


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
    found: npt.NDArray[np.float64] = (begins[cycle] + within) / (bursts.sum() + silences.sum())
    return found
