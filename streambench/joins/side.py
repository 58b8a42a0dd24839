"""One side of a join: a table that is ordered by its time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from streambench.errors import DataError
from streambench.pyx.tuples.stream_column import stream_column
from streambench.pyx.tuples.time_column import require_ascending

TIMES = (is_.is_timestamp, is_.is_date, is_.is_time, is_.is_duration)


class Side:
    """``data`` as a table; ``name`` says in messages which side it is, ``time`` is the column that orders it."""

    def __init__(self, data: Any, name: str, time: str) -> None:
        self.name = name
        self.time = time
        try:
            table = pa.Table.from_batches([data]) if isinstance(data, pa.RecordBatch) else pa.table(data)
        except (TypeError, ValueError, pa.ArrowException) as problem:
            raise DataError(f"the {name} side cannot be read as a table: {problem}.") from None
        self.table = table.combine_chunks()
        self.ts = self.whole(time)
        try:
            require_ascending(self.ts, f"{time} of the {name} side")
        except ValueError as problem:
            raise DataError(f"{problem}.") from None

    def column(self, name: str) -> pa.Array:
        """The column of this name. Raises DataError where there is none, or several, or it has nulls."""
        if self.table.column_names.count(name) != 1:
            found = "several columns" if name in self.table.column_names else "no column"
            raise DataError(f"the {self.name} side has {found} {name!r}; it has {', '.join(self.table.column_names)}.")
        column = self.table.column(name)
        if column.null_count:
            raise DataError(
                f"column {name} of the {self.name} side has nulls, which match nothing: leave their rows out or "
                f"fill them."
            )
        return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)

    def whole(self, name: str) -> npt.NDArray[np.int64]:
        """A column of integers, booleans or times as int64. Raises DataError for others, and what does not fit."""
        column = self.column(name)
        if not is_whole(column.type):
            raise DataError(f"column {name} of the {self.name} side must hold integers or times, not {column.type}.")
        if any(each(column.type) for each in TIMES):
            column = column.view(pa.int64() if column.type.bit_width == 64 else pa.int32())
        try:
            return np.require(column.cast(pa.int64()).to_numpy(zero_copy_only=False), np.int64, ("C", "A"))
        except pa.ArrowInvalid:
            raise DataError(
                f"column {name} of the {self.name} side holds {pc.max(column)}, which does not fit into int64."
            ) from None

    def values(self, name: str) -> npt.NDArray[Any]:
        """The column for a predicate, in its own type. Raises DataError where no predicate can read that."""
        try:
            return stream_column(np.array(self.column(name).to_numpy(zero_copy_only=False)), name)
        except TypeError as problem:
            raise DataError(f"{problem}.") from None


def is_whole(type: pa.DataType) -> bool:
    """Whether its values are integers, or stand for such."""
    return bool(is_.is_integer(type) or is_.is_boolean(type) or any(each(type) for each in TIMES))
