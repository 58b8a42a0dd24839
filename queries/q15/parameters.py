"""Q15, flat or declining categories: the two parameter sets and the columns of the answer.

Dates are days since 1900-01-01, both inclusive; the kit's are 2001-09-02 and 2002-09-02.
"""

from __future__ import annotations

from typing import Any

TABLE = "store_sales"
ANSWER = ("category", "slope", "intercept")
EMITTED = ("category", "n", "slope", "intercept")
CLOSE: tuple[str, ...] = ("slope", "intercept")  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"store": None, "first_date": None, "last_date": None},
    "kit": {"store": 10, "first_date": 37_134, "last_date": 37_499},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": ("item",), "kit": ("item",)}  # look-up tables that each set needs


def settled(parameters: dict[str, Any], first_day: int, days: int) -> int:
    """The lap, counted from 1, from which on every lap gives the sink as many rows as this one.

    Each first sale of a day that finds two earlier days behind it brings a row, and from lap 3 on all do. With a
    ``last_date`` laps leave the dates, one by one: the first that lies beyond brings nothing, nor do those after it.
    """
    last: int | None = parameters["last_date"]
    return 3 if last is None else max(3, (last - first_day) // days + 2)
