"""A user's own SQL over a stream: what it selects is what the sink must receive, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from streambench.errors import OptionError
from streambench.lab.answers import sql
from streambench.lab.answers.row_difference import row_difference
from streambench.pyx.tuples.arrow_columns import arrow_type

TABLE = "stream"
ROW = "stream_row"


class StreamOracle:
    """The SQL in ``file``. It reads the table ``stream``: the source's ``columns``, and ``stream_row``, each tuple's
    place from 0. It selects the columns that the sink receives, ``emitted``, in their order, whatever it calls them.

    Raises OptionError for a file that cannot be read, and for SQL that DuckDB refuses already over a stream of no
    tuples or that selects other columns.
    """

    def __init__(self, file: Path, columns: Sequence[tuple[str, np.dtype[Any]]], emitted: Sequence[str]) -> None:
        self.file = file
        self._emitted = tuple(emitted)
        try:
            self.text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not UTF-8"
            raise OptionError(f"the oracle {file} cannot be read ({reason}): name a file of SQL.") from problem
        self.sequence(pa.table({name: pa.array([], arrow_type(type)) for name, type in columns}))

    def sequence(self, stream: pa.Table) -> pa.Table:
        """What SQL selects over the stream: int64 and double columns, called as those of the sink."""
        selected = self._selected(stream.append_column(ROW, pa.array(np.arange(stream.num_rows))))
        if selected.num_columns != len(self._emitted):
            raise OptionError(
                f"the oracle {self.file} selects {_columns(selected.num_columns)}, and the sink receives "
                f"{_columns(len(self._emitted))} ({', '.join(self._emitted)}): select these, in this order."
            )
        numbers = [self._numbers(*column) for column in zip(selected.column_names, selected.columns, strict=True)]
        return pa.table(numbers, names=list(self._emitted))

    def difference(self, name: str, emitted: pa.Table, expected: pa.Table) -> str | None:
        """None if the sequence that the pipeline called ``name`` has emitted equals SQL's, else one sentence.

        Where SQL selects a floating point number, the sink's value is the double of these bits, equal to 1e-9 relative.
        """
        close = [each.name for each in expected.schema if pa.types.is_floating(each.type)]
        values = {each: emitted.column(each).to_numpy() for each in emitted.column_names}
        got = pa.table({each: _double(value) if each in close else value for each, value in values.items()})
        return row_difference(name, "output sequence", got, expected, close)

    def _selected(self, stream: pa.Table) -> pa.Table:
        duckdb = sql.database()
        with sql.connected() as connection:
            try:
                connection.register(TABLE, stream)
                relation = connection.sql(self.text)
                if relation is None:
                    raise OptionError(f"the oracle {self.file} selects nothing: let it end with a SELECT.")
                return relation.to_arrow_table()
            except duckdb.Error as problem:
                reason = str(problem).splitlines()[0]
                raise OptionError(
                    f"the oracle {self.file} cannot be answered ({reason}): correct its SQL."
                ) from problem

    def _numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        kind = column.type
        decimal = pa.types.is_decimal(kind)  # what HUGEINT, a sum's type, arrives as has no digits behind the point
        try:
            if pa.types.is_floating(kind) or (decimal and kind.scale > 0):
                return column.cast(pa.float64())
            if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or decimal:
                return column.cast(pa.int64())
        except pa.ArrowInvalid as problem:
            raise OptionError(
                f"the oracle {self.file} selects a {name} beyond 64 bits: tuples have fields of 64 bits."
            ) from problem
        raise OptionError(
            f"the oracle {self.file} selects {name} as {kind}: select whole numbers, booleans or floating point "
            "numbers."
        )


def _columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


def _double(value: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return value.astype(np.float64) if value.dtype.kind == "f" else value.view(np.float64)
