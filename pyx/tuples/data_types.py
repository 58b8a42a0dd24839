"""The types of what users hand in and are given, for type checkers: values, columns, tables."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from streambench.pyx.tuples.span import Span

Scalar = (
    np.bool_ | np.int8 | np.int16 | np.int32 | np.int64 | np.uint8 | np.uint16 | np.uint32 | np.uint64 | np.float32
    | np.float64
)  # fmt: skip
"""What a column of a ``TableSink`` holds; bytes of fixed size beside."""
Column = npt.NDArray[Scalar]
State = Mapping[str, npt.NDArray[Any]]
"""What an operator saves: arrays by name."""
ColumnType = str | np.dtype[np.generic]
Value = bool | int | float | decimal.Decimal | str | bytes | datetime.date | datetime.time | np.generic
"""One value of Python's or NumPy's, as a column of Arrow may hold it."""
Nulls = Value | Mapping[str, Value] | None
"""What stands for null: a value for each column named, or one for all."""
Band = Sequence[str | float | Span]
"""(left column, right column, width)."""


class ArrowTable(Protocol):
    """Whatever hands out its rows through Arrow's C interface: tables, readers, frames of pandas and Polars."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule with the stream."""
