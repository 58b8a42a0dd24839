"""YSB, views per campaign: the two parameter sets and the columns of the answer.

Windows last `window` seconds and begin at multiples of it. The benchmark has one set of constants, so both sets are it.
"""

from __future__ import annotations

TABLE = "ad_events"
ANSWER = ("begins", "campaign", "n")
EMITTED = ("begins", "campaign", "n")
CLOSE: tuple[str, ...] = ()  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {"paper": {"window": 10}, "kit": {"window": 10}}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": ("ads",), "kit": ("ads",)}  # look-up tables that each set needs


def settled(parameters: dict[str, object], first_day: int, days: int) -> int:
    """The lap, counted from 1, from which on every lap gives the sink as many rows as this one.

    A lap moves by whole days and so by whole windows: it has the windows of lap 1. In lap 1 the sink gets all of them
    but each campaign's last, in every further lap the one that the lap before has left open, too.
    """
    return 2
