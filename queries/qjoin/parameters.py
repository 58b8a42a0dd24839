"""QJoin, views that a purchase followed: the two parameter sets and the columns of the answer.

A purchase counts for views that are at most `window` seconds older. `categories`: of the items, or None for all.
"""

from __future__ import annotations

TABLE = "web_clickstreams"
ANSWER = ("purchased", "viewed", "n")
EMITTED = ("purchased", "viewed", "n")
CLOSE: tuple[str, ...] = ()  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"window": 864_000, "categories": None, "top": 10},
    "kit": {"window": 864_000, "categories": [2, 3], "top": 10},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": ("item",), "kit": ("item",)}  # look-up tables that each set needs
