"""Where the highest rate under a latency bound lies: what runs at a rate say together, and which rate to try next.

At a rate, runs go on until those that met the bound lead the others by two, or those that missed it lead the ones that
met it: Wald's sequential test (1945) of whether a run meets it three times in four or one time in four. A miss that
something else may be to blame for is doubtful: it counts against "met", and not for "missed". So neither verdict can be
had by repeating until the host looks the other way; each errs one time in nine at most, however often the host disturbs
runs, as long as that makes none faster. Were doubtful misses left out, hits among disturbed runs would still count, and
rates would come out too high. A rate at which the runs suffice for neither is left open, and the rates beside it are
tried instead: where the host disturbs much the interval gets wider, and does not move.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

LEAD = 2
MOST_RUNS = 7  # of one rate
LADDER = (0.25, 0.5, 0.75, 0.9)  # of the throughput at full speed: the curve, and a first bracket
HOPELESS = 2  # rates, of which none can be told
MOST_OPEN = 3  # rates above one that met the bound: nothing farther up is tried
STEP_UP = 1.15  # beyond the last of these, while the bound is still met
FARTHEST = (1.5, 4.0)  # times full speed, if the last rate cannot be told, or was met: no bound binds there
LEAST = 1 / 1024  # of the throughput at full speed: below, no rate is sustained


class Bracket(NamedTuple):
    """``met``: the highest rate below ``missed`` at which the bound was met, 0 for none; ``missed``: the lowest at
    which it was not, infinite for none; ``left_open``: the rates between that cannot be told, ascending."""

    met: float
    missed: float
    left_open: tuple[float, ...]


def decided(met: Sequence[bool | None]) -> bool | None:
    """What the runs of a rate say: each met the bound (True), missed it, or missed it doubtfully (None)."""
    hits, misses, doubtful = (sum(each is said for each in met) for said in (True, False, None))
    if hits - misses - doubtful >= LEAD:
        return True
    return False if misses - hits >= LEAD else None


def goes_on(met: Sequence[bool | None]) -> bool:
    """Is another run at this rate wanted: can those that are left still decide?"""
    left = MOST_RUNS - len(met)
    return decided(met) is None and any(decided([*met, *[said] * left]) is not None for said in (True, False))


def bracket(tried: Mapping[float, bool | None]) -> Bracket:
    """From rates to what their runs said."""
    missed = min((rate for rate, met in tried.items() if met is False), default=math.inf)
    held = max((rate for rate, met in tried.items() if met and rate < missed), default=0.0)
    return Bracket(held, missed, tuple(sorted(rate for rate, met in tried.items() if met is None and rate > held)))


def next_rate(tried: Mapping[float, bool | None], full_speed: float, precision: float) -> float | None:
    """The rate to try next; None where the bracket is found, to ``precision`` (0.05: to 5 %), or there is none.

    First up the ladder until the bound is missed, then between the rates that met and missed it, by halves of their
    ratio; where rates between them are left open, below the lowest and above the highest of these. Where the first
    rates are all left open the host disturbs every run, and no more is tried; where those above one that met the bound
    are, nothing above them.
    """
    met, missed, left_open = bracket(tried)
    if len(left_open) == len(tried) >= HOPELESS:
        return None
    if missed == math.inf and len(left_open) < MOST_OPEN:
        return _upwards(tried, full_speed)
    between = [rate for rate in left_open if rate < missed]
    if met == 0:
        lowest = min(tried) / 2
        return lowest if lowest >= LEAST * full_speed else None
    for below, above in ((met, (*between, missed)[0]), ((met, *between)[-1], missed)):
        if math.inf > above > below * (1 + precision):
            return math.sqrt(below * above)
    return None


def _upwards(tried: Mapping[float, bool | None], full_speed: float) -> float | None:
    highest = max(tried, default=0.0)
    for load in LADDER:
        if load * full_speed > highest * (1 + 1e-9):
            return load * full_speed
    further = highest * STEP_UP
    return further if further < FARTHEST[tried[highest] is True] * full_speed else None
