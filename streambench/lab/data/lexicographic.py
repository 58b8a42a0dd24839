"""Rows compared column by column: where they first descend, and the stable order that sorts them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


def first_descent(columns: Sequence[Int64Array], last: tuple[int, ...] | None = None) -> int | None:
    """The first row that is lexicographically smaller than the row before it; None if there is none.

    `columns` come most significant first; `last` is the row before their first one, if there is one.
    """
    if len(columns[0]) == 0:
        return None
    if last is not None and tuple(int(column[0]) for column in columns) < last:
        return 0
    falls = np.zeros(len(columns[0]) - 1, dtype=bool)
    # From the least significant column up: a row falls by this column, or ties in it and falls by the later ones.
    for column in reversed(columns):
        before, after = column[:-1], column[1:]
        falls = (after < before) | ((after == before) & falls)
    return int(np.argmax(falls)) + 1 if falls.any() else None


def stable_order(columns: Sequence[Int64Array]) -> npt.NDArray[np.intp] | None:
    """The rows' numbers in lexicographic order, ties as they stand; None if the rows are in that order already."""
    if first_descent(columns) is None:
        return None
    return np.lexsort(tuple(reversed(columns)))  # which is stable, and takes its most significant key last
