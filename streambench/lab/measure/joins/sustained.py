"""The rate that a join sustains with a window of so many seconds: at rate T a window holds T times as many tuples.

Comparisons per second bound it: C = 2 WS T² (paper 001, section VI). A rate counts when a run with its window has
processed at least as many tuples per second; C changes with the window, so that each run tells where to look next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

ROUNDS = 6
FIRST_WINDOW = 4096
NEAR = 1.1  # a rate sustained with less to spare is the greatest, as far as runs differ

Measure = Callable[[int], float]
"""From the tuples in a window to tuples per second of each side."""


class SustainedRate(NamedTuple):
    """``rate``: tuples per second of each side; ``window``: tuples; ``verified``: a run has kept up with it."""

    rate: float
    window: int
    verified: bool


def sustained(measure: Measure, seconds: float, most: int, first: int = FIRST_WINDOW) -> SustainedRate:
    """Search with windows of up to ``most`` tuples, each run by ``measure``. ``first``: the first one."""
    first = min(first, most)
    rate = math.sqrt(measure(first) * first / seconds)
    best: SustainedRate | None = None
    for _ in range(ROUNDS):
        window = min(max(1, round(rate * seconds)), most)
        rate = window / seconds
        kept_up = measure(window)
        if kept_up >= rate:
            if best is None or rate > best.rate:
                best = SustainedRate(rate, window, True)
            if kept_up < NEAR * rate or window == most:
                break
            rate = math.sqrt(rate * kept_up)
        else:  # a little less than what this window's comparisons allow
            rate = 0.97 * math.sqrt(rate * kept_up)
            if best is not None and rate <= best.rate:
                break
    return best or SustainedRate(rate, max(1, round(rate * seconds)), False)
