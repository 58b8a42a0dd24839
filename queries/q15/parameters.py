"""Q15, flat or declining categories: the two parameter sets and the columns of the answer.

Dates are days since 1900-01-01, both inclusive; the kit's are 2001-09-02 and 2002-09-02.
"""

from __future__ import annotations

TABLE = "store_sales"
ANSWER = ("category", "slope", "intercept")
EMITTED = ("category", "n", "slope", "intercept")
CLOSE: tuple[str, ...] = ("slope", "intercept")  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"store": None, "first_date": None, "last_date": None},
    "kit": {"store": 10, "first_date": 37_134, "last_date": 37_499},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": ("item",), "kit": ("item",)}  # look-up tables that each set needs
