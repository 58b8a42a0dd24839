"""What sources take as a column: 64-bit integers, and nothing that would have to be changed to be them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LARGEST = np.iinfo(np.int64).max


def as_int64(column: Any, name: str) -> npt.NDArray[np.int64]:
    """``column`` as contiguous int64 values, not copied where it is that already.

    Raises TypeError where its values are no integers or booleans (floats are refused even where they are whole: it
    should not depend on the values whether a program runs), ValueError for unsigned ones that do not fit, and for
    another number of dimensions than one.
    """
    values = np.asarray(column)
    if values.ndim != 1:
        raise ValueError(f"column {name} must have one dimension, not {values.ndim}")
    if values.dtype.kind not in "iub" and len(values):  # an empty list has no type of its own
        raise TypeError(
            f"column {name} must hold integers, not {values.dtype}: convert it with astype('int64') if they are whole, "
            "or view a float64's bits with view('int64')"
        )
    if values.dtype.kind == "u" and len(values) and values.max() > LARGEST:
        raise ValueError(f"column {name} holds {values.max()}, which does not fit into a signed 64-bit integer")
    return np.ascontiguousarray(values, dtype=np.int64)
