"""The rows of a user's file, judged: left out by wish, unusable for a reason that is told, or kept and converted.

All that a mapping means is here, in functions of Arrow batches, so that it is the same whichever engine calls them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.datagen.ingest.column import Column, bound, check_there
from streambench.datagen.ingest.keys import KeyColumn, Keys, is_key, key_column
from streambench.datagen.ingest.mapping import NOT_NULL, ColumnMapping
from streambench.datagen.ingest.numbers import ARROW, converted, texts
from streambench.datagen.ingest.source import Piece, Rows, Source
from streambench.datagen.ingest.time import EventTime, event_time, time_sources
from streambench.datagen.ingest.where import Condition
from streambench.datagen.tables import SECONDS_PER_DAY, TABLES, Table

# Columns that travel with a row beside the table's: the file's index, where in it, and each key's name.
FILE, ROW = "__sb_file", "__sb_row"
PLACE = (FILE, ROW)


def name_of(target: str) -> str:
    """The column that holds the names of the key `target`."""
    return f"__sb_name_{target}"


@dataclass(frozen=True)
class Judged:
    """Some rows of one file: `table` holds `PLACE`, what is mapped of the table, and the keys' names.

    `reason` is the index, in `complaints`, of why a row cannot be used (-1 if it can), `negative` the bits of
    the keys that are below 0 (an error unless they get a dictionary), `nulled` where `null` made a column's value none.
    `complaints` are the file's columns to show and the words.
    """

    rows: Rows
    table: pa.RecordBatch
    chosen: np.ndarray
    reason: np.ndarray
    negative: np.ndarray
    keys: dict[str, Keys]
    nulled: dict[str, np.ndarray]
    complaints: list[tuple[tuple[str, ...], str]]

    def shown(self, row: int, sources: Collection[str]) -> str:
        """What the file's columns hold in a row."""
        if self.rows.unfit[row].is_valid:
            return repr(self.rows.unfit[row].as_py()[:100])
        cells = {name: texts(self.rows.columns.column(name).slice(row, 1))[0].as_py() for name in sources}
        return ", ".join(f"{name} = {'(empty)' if cell is None else repr(cell)}" for name, cell in cells.items())

    def kept(self, coded_bits: int) -> pa.RecordBatch:
        """The rows that are kept, if the keys of these bits get a dictionary."""
        return self.table.filter(pa.array(self.chosen & (self.reason < 0) & ((self.negative & ~coded_bits) == 0)))


@dataclass(frozen=True)
class Binding:
    """A resolved mapping that fits a file."""

    mapping: ColumnMapping
    source: Source
    time: EventTime | None
    keys: tuple[KeyColumn, ...]
    values: tuple[Column, ...]
    where: Condition | None

    @property
    def layout(self) -> Table:
        """The table that the file becomes."""
        return TABLES[str(self.mapping.table)]

    @property
    def mapped(self) -> tuple[str, ...]:
        """The columns of the table that the file gives, but for the time."""
        return (*(key.target for key in self.keys), *(value.target for value in self.values))

    @property
    def schema(self) -> pa.Schema:
        """The columns of `Judged.table`."""
        kinds = dict(self.layout.columns)
        fields = [(FILE, pa.int32()), (ROW, pa.int64()), *((name, pa.int64()) for name in self.layout.time_columns)]
        for key in self.keys:
            fields += [(key.target, pa.int64()), (name_of(key.target), pa.string())]
        return pa.schema([*fields, *((value.target, ARROW[kinds[value.target]]) for value in self.values)])

    def bits(self, coded: Collection[str]) -> int:
        """The bits of these keys in `Judged.negative`."""
        return sum(1 << index for index, key in enumerate(self.keys) if key.target in coded)

    def judged(self, piece: Piece) -> Iterator[Judged]:
        """The rows of a piece of the file."""
        for rows in self.source.read(piece, self._needed()):
            yield self._judge(rows)

    def _needed(self) -> Collection[str]:
        if self.where is not None:
            return self.source.columns
        needed = {name for column in self._columns() for name in column.sources}
        return needed | {name for name, _ in self.mapping.drop} | set(self.time.sources if self.time else ())

    def _columns(self) -> tuple[Column, ...]:
        return (*(key.column for key in self.keys), *self.values)

    def _judge(self, rows: Rows) -> Judged:
        complaints: list[tuple[tuple[str, ...], str]] = []
        reason = np.full(len(rows), -1, np.int16)

        def complain(where: np.ndarray, sources: tuple[str, ...], words: str) -> None:
            reason[where & (reason < 0)] = len(complaints)
            complaints.append((sources, words))

        complain(
            np.array(rows.unfit.is_valid()),
            (),
            "it has a quote without its partner, or more or fewer values than there are columns",
        )
        columns = {FILE: pa.array(np.full(len(rows), rows.file), pa.int32()), ROW: rows.places}
        if self.time is not None:
            ts = self.time.seconds(rows.columns)
            complain(np.array(ts.is_null()), self.time.sources, self.time.words)
            columns |= zip(self.layout.time_columns, _days(ts), strict=True)
        keys: dict[str, Keys] = {}
        nulled: dict[str, np.ndarray] = {}
        negative = np.zeros(len(rows), np.int64)
        for index, key in enumerate(self.keys):
            values, present, nulled[key.target] = key.column.values(rows.columns, "bigint")
            key_values = keys[key.target] = key.of(values)
            sources = key.column.sources
            unusable = key_values.unusable | (present & np.array(values.is_null()))
            complain(unusable, sources, f"{key.target} cannot be made of it, {key.complaint}")
            if not key.nullable:
                complain(~present, sources, f"{key.target} must not be empty")
            negative |= key_values.negative.astype(np.int64) << index
            columns |= {key.target: key_values.number, name_of(key.target): key_values.name}
        for value in self.values:
            kind = dict(self.layout.columns)[value.target]
            values, present, nulled[value.target] = value.values(rows.columns, kind)
            columns[value.target] = values if value.expression is not None else converted(texts(values), kind)
            missing = present & np.array(columns[value.target].is_null())
            complain(missing, value.sources, f"{value.target} ({kind}) cannot be made of it")
            if value.target in NOT_NULL[self.layout.name]:
                complain(~present, value.sources, f"{value.target} must not be empty once it is mapped")
        table = pa.RecordBatch.from_pydict(columns, schema=self.schema)
        return Judged(rows, table, self._wanted(rows), reason, negative, keys, nulled, complaints)

    def _wanted(self, rows: Rows) -> np.ndarray:
        kept = np.ones(len(rows), bool)
        for column, value in self.mapping.drop:
            kept &= np.array(pc.not_equal(pc.fill_null(texts(rows.columns.column(column)), ""), value))
        return kept if self.where is None else kept & self.where.met(rows.columns)


def bind(mapping: ColumnMapping, source: Source) -> Binding:
    """Bind a resolved mapping to a file; DatagenError for a column, type, format or condition that does not fit."""
    assert mapping.table is not None
    table = TABLES[mapping.table]
    kinds = dict(table.columns)
    if "ts" in mapping.columns:
        for name in time_sources(mapping, source):
            check_there(name, source)
    time = {"ts", *table.time_columns}
    for target in time & set(mapping.columns) - {"ts"}:
        check_there(str(mapping.columns[target]), source)
    for name, _ in mapping.drop:
        check_there(name, source)
    keys, values = [], []
    for target, spelled in mapping.columns.items():
        if target in time:
            continue
        column = bound(target, str(spelled), mapping.null_texts(target), kinds[target], source)
        if is_key(table.name, target):
            kind = source.types[column.sources[0]] if column.expression is None else pa.int64()
            keys.append(key_column(table.name, column, kind, decoded=source.kind == "csv"))
        else:
            values.append(column)
    when = event_time(mapping, source) if table.is_stream else None
    where = Condition.checked(mapping.where, source) if mapping.where is not None else None
    return Binding(mapping, source, when, tuple(keys), tuple(values), where)


def _days(ts: pa.Array) -> tuple[pa.Array, pa.Array]:
    values, none = np.array(pc.fill_null(ts, 0)), np.array(ts.is_null())
    return pa.array(values // SECONDS_PER_DAY, mask=none), pa.array(values % SECONDS_PER_DAY, mask=none)
