"""Decoded columns in the types of the stream; without the GIL where they are laid out as those that datagen writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.lab.data.columns import (
    CENTS_LIMIT,
    DATE_AND_TIME,
    NEVER_NULL,
    convert,
    limit_of,
    sources,
)
from streambench.lab.data.narrow import moments, narrow, narrow_decimals
from streambench.lab.data.narrow_types import IntegerArray


def narrowed(
    table: str, column: str, batch: pa.RecordBatch, file: Path, first_row: int, kind: np.dtype[Any]
) -> IntegerArray:
    """The logical ``column`` of one record batch, in type ``kind``, or as ``convert`` gives it: an array of its own.

    Arguments are those of ``convert``, and so are the errors.
    """
    # Arrow's pool keeps the memory; NumPy gives it back to the system, and gets it again page by page.
    out = np.frombuffer(pa.allocate_buffer(batch.num_rows * kind.itemsize), kind)
    if _fill(table, column, batch, out):
        return out
    return convert(table, column, batch, file, first_row)  # of other types, or it tells what is wrong


def _fill(table: str, column: str, batch: pa.RecordBatch, out: IntegerArray) -> bool:
    """Fill ``out``; False where a value is unfit, or the layout is none of those known here."""
    most = int(np.iinfo(out.dtype).max)
    arrays = [batch.column(name) for name in sources(table, column)]
    if any(array.null_count and name in NEVER_NULL for name, array in zip(sources(table, column), arrays, strict=True)):
        return False
    if column == "cents":
        money = arrays[0]
        if not pa.types.is_decimal128(money.type) or money.type.scale != 2 or out.itemsize < 4:
            return False
        return narrow_decimals(_values(money, 2), out, min(CENTS_LIMIT - 1, most))
    if arrays[0].type not in (pa.int64(), pa.int32()) or arrays[0].type != arrays[-1].type:
        return False
    if column == "ts":
        last_day, last_second = (limit_of(name)[0] - 1 for name in DATE_AND_TIME[table])
        return out.itemsize >= 4 and moments(_values(arrays[0]), _values(arrays[1]), out, last_day, last_second, most)
    valid = arrays[0].buffers()[0] if arrays[0].null_count else None
    if valid is not None and arrays[0].offset % 8:
        return False
    bits = None if valid is None else np.frombuffer(valid, np.uint8)[arrays[0].offset // 8 :]
    return narrow(_values(arrays[0]), bits, out, min(limit_of(sources(table, column)[0])[0] - 1, most))


def _values(array: pa.Array, words: int = 1) -> npt.NDArray[Any]:
    """An array's own memory; of numbers of 128 bits two words each."""
    kind = np.dtype(np.int32 if array.type == pa.int32() else np.int64)
    begin, end = array.offset * words, (array.offset + len(array)) * words
    return np.frombuffer(array.buffers()[1] or b"", kind)[begin:end]
