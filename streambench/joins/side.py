"""One side of a join: one or several physical streams, in the order of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_

from streambench.errors import DataError, OptionError
from streambench.joins.dealing import dealt
from streambench.joins.plain_table import plain_table
from streambench.pyx.join.gate_source import StreamError
from streambench.pyx.join.merged_rows import merged_rows
from streambench.pyx.join.stream_sides import nulls_match_nothing
from streambench.pyx.tuples.data_types import ArrowTable
from streambench.pyx.tuples.meaning import is_time
from streambench.pyx.tuples.span import Span, span_in, unit_of
from streambench.pyx.tuples.stream_column import stream_column
from streambench.pyx.tuples.time_column import require_ascending

Rows = npt.NDArray[np.int64]
JoinTable = ArrowTable | Mapping[str, npt.ArrayLike]
JoinData = JoinTable | Sequence[JoinTable]


class Side:
    """``data``, a table, or a list of tables: the side's physical streams. ``time`` is the column that orders them.

    ``name`` says in messages which side it is, ``called`` which stream. ``slack``: by how much of its time a stream may
    be out of order; what is later than that is left out and counted in ``late``, by stream. ``sources``: over how many
    streams the side is dealt once more before it is merged, which changes nothing.

    ``table`` holds the streams one after the other, ``ts`` the times in order, ``order`` their rows of ``table``; None
    where that is the order.
    """

    def __init__(
        self, data: JoinData, name: str, time: str, slack: Span = 0, sources: int = 1, called: Sequence[str] = ()
    ) -> None:
        self.name = name
        self.time = time
        streams, names = [data], [f"the {name} side"]
        if isinstance(data, list | tuple):
            streams, names = list(data), [f"stream {k} of the {name} side" for k in range(len(data))]
        if not streams:
            raise DataError(f"the {name} side is an empty list: give one table or several.")
        self.called = tuple(called) or tuple(names)
        tables = [plain_table(*each) for each in zip(streams, self.called, strict=True)]
        self._require_one_schema(tables)
        self.table = pa.concat_tables(tables).combine_chunks()
        self.order: Rows | None = None
        self.late = (0,) * len(tables)
        if is_.is_boolean(self.ordered(time).type):
            raise DataError(f"column {time} of the {name} side must hold integers or times, not bool.")
        self.ts = self.whole(time)
        self._merge(
            np.split(self.ts, np.cumsum([len(each) for each in tables])[:-1]), self.span(slack, "slack"), sources
        )

    def ordered(self, name: str) -> pa.Array:
        """The column of this name, in order. Raises DataError where there is none, or several."""
        if self.table.column_names.count(name) != 1:
            there = ", ".join(self.table.column_names) or "no columns"
            problem = "several columns" if name in self.table.column_names else "no column"
            raise DataError(f"the {self.name} side has {problem} {name!r}; it has {there}.")
        column = self.table.column(name)
        whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        return whole if self.order is None else whole.take(pa.array(self.order))

    def column(self, name: str) -> pa.Array:
        """The same, of a column that is compared. Raises DataError where it has nulls, too."""
        column = self.ordered(name)
        if column.null_count:
            raise DataError(nulls_match_nothing(name, self.name))
        return column

    def whole(self, name: str) -> npt.NDArray[np.int64]:
        """A column of integers, booleans or times as int64. Raises DataError for others, and what does not fit."""
        column = self.column(name)
        if not is_whole(column.type):
            raise DataError(f"column {name} of the {self.name} side must hold integers or times, not {column.type}.")
        if is_time(column.type):
            column = column.view(pa.int64() if column.type.bit_width == 64 else pa.int32())
        try:
            return np.require(column.cast(pa.int64()).to_numpy(zero_copy_only=False), np.int64, ("C", "A"))
        except pa.ArrowInvalid:
            raise DataError(
                f"column {name} of the {self.name} side holds {pc.max(column)}, which does not fit into int64."
            ) from None

    def values(self, name: str, declared: np.dtype[Any]) -> npt.NDArray[Any]:
        """The column for a predicate, in its own type. Raises DataError for one that no predicate can read."""
        column = self.column(name)
        try:
            return stream_column(np.array(column.to_numpy(zero_copy_only=False)), name)
        except TypeError:
            raise DataError(
                f"column {name} of the {self.name} side holds {column.type}, which a predicate cannot read, but it is "
                f"declared as {declared.name}."
            ) from None

    def span(self, span: Span, option: str) -> int:
        """It in the unit of the side's time. Raises OptionError for what is no whole number of it."""
        try:
            return span_in(unit_of(self.table.schema.field(self.time).type), span, f"`{option}`")
        except ValueError as problem:
            raise OptionError(f"{problem}.") from None

    def late_by_name(self) -> list[str]:
        """How many tuples were late, in words: an entry for each stream that had such."""
        return [f"{n:,} of {name}" for name, n in zip(self.called, self.late, strict=True) if n]

    def rows(self, places: Rows) -> Rows:
        """The rows of ``table`` that stand at these places of the order."""
        return places if self.order is None else self.order[places]

    def _require_one_schema(self, tables: Sequence[pa.Table]) -> None:
        for name, table in zip(self.called, tables, strict=True):
            if table.schema != tables[0].schema:
                first = f"{self.called[0]} {_shown(tables[0])}"
                raise DataError(f"{name} has the columns {_shown(table)}, but {first}: make them equal.")

    def _merge(self, streams: Sequence[npt.NDArray[np.int64]], slack: int, sources: int) -> None:
        try:
            if slack == 0:
                for name, ts in zip(self.called, streams, strict=True):
                    require_ascending(ts, f"{self.time} of {name}")
            if slack > 0 or len(streams) > 1:
                self.order, self.late = merged_rows(streams, slack)
                self.ts = self.ts[self.order]
            if sources > 1:
                parts = dealt(self.ts, sources)
                places, _ = merged_rows([self.ts[each] for each in parts])
                places = np.concatenate(parts)[places]
                self.ts, self.order = self.ts[places], self.rows(places)
        except StreamError as problem:
            raise DataError(f"the {self.name} side: {problem}") from None
        except ValueError as problem:
            raise DataError(f"{problem}, or say by slack how far it may be out of order.") from None


def is_whole(type: pa.DataType) -> bool:
    """Whether its values are integers, or stand for such."""
    return bool(is_.is_integer(type) or is_.is_boolean(type) or is_time(type))


def _shown(table: pa.Table) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in table.schema) or "none"
