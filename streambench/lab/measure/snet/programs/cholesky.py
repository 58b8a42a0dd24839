"""The boxes of the Cholesky decomposition, on NumPy: BLAS works outside the GIL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass
class Tiles:
    """The lower triangle, tile by tile, each changed by one box at a time, and how many of a phase are missing."""

    tiles: dict[tuple[int, int], Array]
    count: int
    missing: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def was_last(self) -> bool:
        """One tile more of the phase is done: was it the last?"""
        with self.lock:
            self.missing -= 1
            return self.missing == 0


def decompose(matrix: Array, size: int) -> dict[str, Any]:
    """Cut it into tiles of ``size`` rows."""
    count = len(matrix) // size
    tiles = {
        (i, j): matrix[i * size : (i + 1) * size, j * size : (j + 1) * size].copy()
        for i in range(count)
        for j in range(i + 1)
    }
    return {"matrix": Tiles(tiles, count), "<k>": 0}


def factor(matrix: Tiles, k: int) -> Iterator[dict[str, Any]]:
    """The diagonal tile; then every tile below it may be solved."""
    if k == matrix.count:
        yield {"L": _whole(matrix)}
        return
    matrix.tiles[k, k] = np.linalg.cholesky(matrix.tiles[k, k])
    matrix.missing = max(1, matrix.count - k - 1)
    for i in range(k + 1, matrix.count):
        yield {"matrix": matrix, "<k>": k, "<solve>": i}
    if k + 1 == matrix.count:
        yield {"matrix": matrix, "<k>": k, "<solve>": k}


def solve(matrix: Tiles, k: int, i: int) -> dict[str, Any]:
    """A tile below the diagonal one."""
    if i > k:
        matrix.tiles[i, k] = np.linalg.solve(matrix.tiles[k, k], matrix.tiles[i, k].T).T
    return {"matrix": matrix, "<k>": k}


def solved(matrix: Tiles, k: int) -> list[dict[str, Any]]:
    """When the column is solved, every row may be updated."""
    if not matrix.was_last():
        return []
    rows = range(k + 1, matrix.count) or (k,)
    matrix.missing = len(rows)
    return [{"matrix": matrix, "<k>": k, "<update>": i} for i in rows]


def update(matrix: Tiles, k: int, i: int) -> dict[str, Any]:
    """The tiles of a row, right of the column."""
    for j in range(k + 1, i + 1):
        matrix.tiles[i, j] -= matrix.tiles[i, k] @ matrix.tiles[j, k].T
    return {"matrix": matrix, "<k>": k}


def updated(matrix: Tiles, k: int) -> dict[str, Any] | None:
    """When all rows are updated, the next column begins."""
    return {"matrix": matrix, "<k>": k + 1} if matrix.was_last() else None


def _whole(matrix: Tiles) -> Array:
    size = len(matrix.tiles[0, 0])
    whole = np.zeros((matrix.count * size, matrix.count * size))
    for (i, j), tile in matrix.tiles.items():
        whole[i * size : (i + 1) * size, j * size : (j + 1) * size] = tile
    return whole
