"""Q4, abandoned carts: the two parameter sets and the columns of the answer.

A gap of more than `gap` seconds ends a session; with no session kept the ratio is null.
"""

from __future__ import annotations

TABLE = "web_clickstreams"
ANSWER = ("pages", "sessions", "pages_per_session")
EMITTED = ("pages", "sessions")
CLOSE: tuple[str, ...] = ("pages_per_session",)  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {"paper": {"gap": 3600}, "kit": {"gap": 3600}}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": ("web_page",), "kit": ("web_page",)}  # look-up tables needed


def settled(parameters: dict[str, object], first_day: int, days: int) -> int:
    """The lap, counted from 1, from which on every lap gives the sink as many rows as this one.

    As in Q2: the sessions that end in lap 2 come again in every later lap, with the same pages some days later.
    """
    return 2
