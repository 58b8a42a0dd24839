"""Rows compared one by one: with SQL's, floating point numbers nearly; with the serial engine's, to the bit."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

RELATIVE = 1e-9


def row_difference(owner: str, what: str, got: pa.Table, expected: pa.Table, close: Collection[str]) -> str | None:
    """None if ``got`` equals ``expected``, which has the same columns, else one sentence that names the first row that
    differs.

    ``got`` is the ``owner``'s ``what``: q4's answer. Columns in ``close`` may differ by 1e-9 relative.
    """
    common = min(got.num_rows, expected.num_rows)
    row = _first(got.slice(0, common), expected.slice(0, common), close)
    if row is not None:
        return f"Row {row} of {owner}'s {what} is {_show(got, row)} but SQL says {_show(expected, row)}."
    if got.num_rows != expected.num_rows:
        longer, whose = (got, f"only the {what}") if got.num_rows > common else (expected, "only SQL")
        return (
            f"{owner}'s {what} has {got.num_rows} rows where SQL gives {expected.num_rows}: {whose} has row {common}, "
            f"{_show(longer, common)}."
        )
    return None


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


def _first(got: pa.Table, expected: pa.Table, close: Collection[str]) -> int | None:
    differs = np.zeros(got.num_rows, dtype=bool)
    for name in got.column_names:
        pair = (got.column(name), expected.column(name))
        if name in close:
            pairs = zip(*(column.to_pylist() for column in pair), strict=True)
            differs |= np.fromiter((not _close(a, b) for a, b in pairs), dtype=bool, count=got.num_rows)
        else:
            ours, theirs = (column.to_numpy() for column in pair)
            differs |= ours != theirs
    return int(np.argmax(differs)) if differs.any() else None


def _close(got: float | None, expected: float | None) -> bool:
    if got is None or expected is None:
        return got is expected
    return math.isfinite(got) and abs(got - expected) <= RELATIVE * max(abs(got), abs(expected))


def _show(table: pa.Table, row: int) -> str:
    values: dict[str, Any] = table.slice(row, 1).to_pylist()[0]
    return "(" + ", ".join(f"{name} {value}" for name, value in values.items()) + ")"


def _bits(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """The values so that floats are equal only to the bit."""
    values = column.to_numpy()
    if values.dtype.kind != "f":
        return np.asarray(values)
    return np.asarray(values.view(np.uint32 if values.dtype.itemsize == 4 else np.uint64))
