"""Q1, items sold together: the two parameter sets and the columns of the answer.

With `hourly` off the whole stream is one window and `hour` is 0; rows need n > `min_count`.
"""

from __future__ import annotations

TABLE = "store_sales"
ANSWER = ("hour", "item_a", "item_b", "n")
EMITTED = ("hour", "item_a", "item_b", "n")
CLOSE: tuple[str, ...] = ()  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"stores": None, "categories": None, "hourly": True, "min_count": 0, "top": 100},
    "kit": {"stores": [10, 20, 33, 40, 50], "categories": [1, 2, 3], "hourly": False, "min_count": 50, "top": 100},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": (), "kit": ("item",)}  # look-up tables that each set needs


def settled(parameters: dict[str, object], first_day: int, days: int) -> int:
    """The lap, counted from 1, from which on every lap gives the sink and TopPairs as many tuples as this one.

    Each lap has tickets and hours of its own, so its pairs are those of lap 1, some hours later. The sink gets an hour
    with the first pair of a later one: in lap 1 all hours but the last, in every further lap the one before that, too.
    """
    return 2
