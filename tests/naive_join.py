"""A join, tuple by tuple: what every tier must give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

ROWS = list[tuple[int, int]]


class Stream(NamedTuple):
    ts: np.ndarray[Any, Any]
    columns: tuple[np.ndarray[Any, Any], ...]


def naive_join(left: Stream, right: Stream, widths: Sequence[Any], window: int, rule: str) -> ROWS:
    """Rows (left, right) in order, one tuple processed after the other; ``widths`` by column, None: equal."""
    sides = (left, right)
    order = sorted((int(ts), side, row) for side in (0, 1) for row, ts in enumerate(sides[side].ts))
    windows: tuple[list[int], list[int]] = ([], [])
    found = []
    for now, side, row in order:
        other = windows[1 - side]
        if rule == "exact":
            other[:] = [each for each in other if int(sides[1 - side].ts[each]) >= now - window]
        for each in other:
            pair = (row, each) if side == 0 else (each, row)
            if all(
                holds(a[pair[0]], b[pair[1]], width)
                for a, b, width in zip(left.columns, right.columns, widths, strict=True)
            ):
                found.append(pair)
        own = windows[side]
        own.append(row)
        if rule == "three-step":
            own[:] = [each for each in own if int(sides[side].ts[each]) >= now - window]
        elif rule == "count":
            del own[: max(0, len(own) - window)]
    return found


def holds(a: Any, b: Any, width: Any) -> bool:
    if isinstance(a, np.floating):
        with np.errstate(all="ignore"):
            return bool(abs(a - b) <= type(a)(width))
    return int(a) == int(b) if width is None else abs(int(a) - int(b)) <= width
