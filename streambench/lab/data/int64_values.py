"""Arrow's int64 columns as NumPy arrays.

Arrow's own ``to_numpy`` imports pandas, wherever that is installed, and so does ``fill_null``: that takes longer than
many a run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def int64_values(array: pa.Array, null: int = -1) -> npt.NDArray[np.int64]:
    """The values of an array of type int64, ``null`` in the place of nulls; in the same memory where it has none."""
    validity, memory = array.buffers()
    begin, end = array.offset, array.offset + len(array)
    values = np.frombuffer(memory or b"", dtype=np.int64)[begin:end]
    if not array.null_count:
        return values
    valid = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), count=end, bitorder="little")[begin:]
    return np.where(valid, values, np.int64(null))
