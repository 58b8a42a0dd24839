"""The commonest pairs of each first member: the answers of Q3 and QJoin."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.integer[Any]]


def top_of_each(first: Column, second: Column, n: Column, top: int) -> tuple[Column, Column, Column]:
    """Of each ``first`` the ``top`` pairs, by ``n``, the highest first, then by ``second``."""
    order = np.lexsort((second, -n, first))
    first, second, n = first[order], second[order], n[order]
    begins = np.flatnonzero(np.r_[True, first[1:] != first[:-1]]) if len(first) else np.empty(0, np.int64)
    lengths = np.diff(np.r_[begins, len(first)])
    chosen = np.arange(len(first)) - np.repeat(begins, lengths) < top
    return first[chosen], second[chosen], n[chosen]
