"""How many laps a measured run replays its stream for."""

from __future__ import annotations

import math

from streambench.execution.options import MOST_LAPS


def within(laps: float) -> int:
    """The nearest number of laps that a run can have."""
    return min(MOST_LAPS, max(1, math.floor(laps + 0.5)))


def lasting(seconds: float, rows: int, throughput: float) -> tuple[int, str | None]:
    """The laps with which a run over ``rows`` tuples at ``throughput`` lasts ``seconds`` at least, and a sentence where
    no number of laps is enough."""
    laps = seconds * throughput / max(1, rows)
    if laps <= MOST_LAPS:
        return max(1, math.ceil(laps)), None
    lasts = seconds * MOST_LAPS / laps
    return MOST_LAPS, (
        f"a stream of {rows} row{'' if rows == 1 else 's'} is too short to be measured for {seconds:g} s: "
        f"{MOST_LAPS:,} laps, the most there are, last {lasts:.2g} s"
    )
