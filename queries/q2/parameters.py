"""Q2, products viewed together: the two parameter sets and the columns of the answer.

A gap of more than `gap` seconds ends a session; with `item`, only its partners count, as rows (partner, item, n).
"""

from __future__ import annotations

TABLE = "web_clickstreams"
ANSWER = ("item_a", "item_b", "n")
EMITTED = ("item_a", "item_b", "n")
CLOSE: tuple[str, ...] = ()  # answer columns compared to 1e-9 relative; the others are exact
PARAMETERS: dict[str, dict[str, object]] = {
    "paper": {"gap": 3600, "item": None, "top": 30},
    "kit": {"gap": 3600, "item": 10001, "top": 30},
}
DIMENSIONS: dict[str, tuple[str, ...]] = {"paper": (), "kit": ()}  # look-up tables that each set needs


def settled(parameters: dict[str, object], first_day: int, days: int) -> int:
    """The lap, counted from 1, from which on every lap gives TopPairs as many pairs as this one.

    A session ends at a gap between two clicks of a user, and a user's gaps come again with every lap. So a session that
    ends in lap 2 or later began at the gap before, at most a whole lap earlier: its clicks are those of any later lap.
    A user whose clicks leave no such gap, not even from lap to lap, has one session that is only flushed.
    """
    return 2
