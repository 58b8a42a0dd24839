"""Memory for states that are saved again and again: to touch pages that are new to a process takes longer than to copy.

Under the GIL.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

LEAST = 1 << 20  # bytes: smaller ones are new each time
_kept: list[npt.NDArray[np.uint8]] = []
FREE = 3  # references to one that nobody else has: the list's, the loop's and the count's


def buffer(shape: tuple[int, ...], kind: str) -> npt.NDArray[Any]:
    """An array of this shape and NumPy type with any values, in memory that nobody reads any more, if there is some."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    if size < LEAST:
        return np.empty(shape, kind)
    for each in _kept:
        if len(each) >= size and sys.getrefcount(each) <= FREE:
            break
    else:
        _kept[:] = [other for other in _kept if sys.getrefcount(other) > FREE]  # they were too small
        each = np.empty(size + size // 8, np.uint8)
        _kept.append(each)
    return each[:size].view(kind).reshape(shape)


def forget_buffers() -> None:
    """Give back what nobody reads; when a run that saves states has ended."""
    _kept.clear()
