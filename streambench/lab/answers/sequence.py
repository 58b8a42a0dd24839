"""Two output sequences compared row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def first_difference(got: pa.Table, serial: pa.Table) -> str:
    """Name the first row in which ``got`` leaves the sequence of the serial engine; "no row differs" where none does.

    Values must be equal to the bit: both come from the same operators.
    """
    common = min(got.num_rows, serial.num_rows)
    differs = np.zeros(common, dtype=bool)
    for name in serial.column_names:
        ours, theirs = (_bits(table.column(name))[:common] for table in (got, serial))
        differs |= ours != theirs
    if differs.any():
        row = int(np.argmax(differs))
        return f"row {row} is {_show(got, row)} where the serial engine has {_show(serial, row)}"
    if got.num_rows == serial.num_rows:
        return "no row differs"
    longer, whose = (got, "this run") if got.num_rows > common else (serial, "the serial engine")
    return f"{got.num_rows} rows instead of {serial.num_rows}: only {whose} has row {common}, {_show(longer, common)}"


def _show(table: pa.Table, row: int) -> str:
    values: dict[str, Any] = table.slice(row, 1).to_pylist()[0]
    return "(" + ", ".join(f"{name} {value}" for name, value in values.items()) + ")"


def _bits(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """The values so that floats are equal only to the bit."""
    values = column.to_numpy()
    if values.dtype.kind != "f":
        return np.asarray(values)
    return np.asarray(values.view(np.uint32 if values.dtype.itemsize == 4 else np.uint64))
