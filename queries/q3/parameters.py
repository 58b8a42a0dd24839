"""Q3, last views before a purchase: the two parameter sets and the columns of the answer.

`depth` clicks are remembered per user; views older than `window` seconds do not count.
"""

from __future__ import annotations

TABLE = "web_clickstreams"
ANSWER = ("purchased", "viewed", "n")
EMITTED = ("purchased", "viewed", "n")
CLOSE: tuple[str, ...] = ()  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"depth": 5, "window": 864_000, "purchased": None, "categories": None, "top": 30},
    "kit": {"depth": 5, "window": 864_000, "purchased": 10001, "categories": [2, 3], "top": 30},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": (), "kit": ("item",)}  # look-up tables that each set needs
