"""Q3, last views before a purchase: the two parameter sets and the columns of the answer.

`depth` clicks are remembered per user; views older than `window` seconds do not count.
"""

from __future__ import annotations

import math
from typing import Any

DAY = 86_400
TABLE = "web_clickstreams"
ANSWER = ("purchased", "viewed", "n")
EMITTED = ("purchased", "viewed", "n")
CLOSE: tuple[str, ...] = ()  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"depth": 5, "window": 864_000, "purchased": None, "categories": None, "top": 30},
    "kit": {"depth": 5, "window": 864_000, "purchased": 10001, "categories": [2, 3], "top": 30},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": (), "kit": ("item",)}  # look-up tables that each set needs


def settled(parameters: dict[str, Any], first_day: int, days: int) -> int:
    """The lap, counted from 1, from which on every lap gives the sink as many rows as this one.

    A view is among the user's last ``depth`` clicks, of which each lap back takes one at least, and at most ``window``
    seconds old, while a click ``j`` laps back is more than ``j - 1`` laps old. So a lap's rows depend on few before it.
    """
    back = min(parameters["depth"], math.ceil(parameters["window"] / (DAY * days)))
    return 1 + int(back)
