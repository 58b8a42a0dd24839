"""A column of the runtime's as an Arrow array."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def arrow_array(values: npt.NDArray[Any]) -> pa.Array:
    """The values as Arrow, in the same memory; booleans are bits there and are copied."""
    if values.dtype.kind != "V":
        return pa.array(values)
    memory = pa.py_buffer(np.ascontiguousarray(values).view(np.uint8))
    return pa.Array.from_buffers(pa.binary(values.dtype.itemsize), len(values), [None, memory])
