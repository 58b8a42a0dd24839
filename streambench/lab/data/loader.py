"""Fact tables as streams of columns in memory; `streamed` reads them as a run goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import DataError
from streambench.lab.data.catalog import Catalog, TableFiles, reading
from streambench.lab.data.columns import DAY, Int64Array, check_types, convert, sources
from streambench.lab.data.lexicographic import stable_order
from streambench.lab.data.narrow_types import IntegerArray, event_time, narrow_types, value_range
from streambench.parquet_file import open_parquet, read_metadata

Progress = Callable[[int, int], None]
"""Called with (rows done, rows in all)."""

REPLAY_ORDER = {
    "store_sales": ("ts", "ss_ticket_number", "ss_item_sk"),
    "web_clickstreams": ("ts", "wcs_user_sk", "wcs_sales_sk", "wcs_item_sk", "wcs_web_page_sk"),
    "ad_events": ("ts", "ae_user_sk", "ae_page_sk", "ae_ad_sk", "ae_event_type"),
}
"""Logical columns by which each fact table is replayed; nulls, being -1, come first."""

RENUMBERED = frozenset({"ss_ticket_number", "wcs_sales_sk"})  # each lap has tickets and orders of its own
BATCH_ROWS = 65_536

# What the queries cannot do without; a stream with no order numbers is simply one in which nobody buys.
_MUST_BE_MAPPED = frozenset({"wcs_user_sk", "wcs_item_sk", "wcs_web_page_sk", "ss_store_sk"})


@dataclass(frozen=True)
class Stream:
    """A fact table in memory, in replay order.

    `columns` are C-contiguous arrays of `rows` values, named by `names`, in the narrowest types (see `narrow_types`);
    null is -1. `lap_shift` is what one more lap over the stream adds to a column's non-negative values.
    `facts`: `tickets_ascend` (where `ss_ticket_number` is loaded): it never decreases along the stream.
    """

    table: str
    names: tuple[str, ...]
    columns: tuple[IntegerArray, ...]
    rows: int
    lap_shift: tuple[int, ...]
    facts: dict[str, bool] = field(default_factory=dict)

    def column(self, name: str) -> IntegerArray:
        """The values of the logical column `name`."""
        return self.columns[self.names.index(name)]

    @property
    def time(self) -> str | None:
        """The column by which the stream is sorted before all others, where it is loaded: `ts` or `date`."""
        return event_time(self.names)

    def for_laps(self, laps: int) -> tuple[IntegerArray, ...]:
        """The columns in the narrowest types that hold the values of so many laps."""
        ranges = [
            (least, greatest + (laps - 1) * shift)
            for (least, greatest), shift in zip(map(value_range, self.columns), self.lap_shift, strict=True)
        ]
        types = narrow_types(self.names, ranges)
        return tuple(values.astype(kind, copy=False) for values, kind in zip(self.columns, types, strict=True))


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of one file: `first_row` is counted from 0 within `file`."""

    file: Path
    first_row: int
    columns: tuple[Int64Array, ...]


def load(
    catalog: Catalog, table: str, columns: Sequence[str], *, sort: bool = False, progress: Progress | None = None
) -> Stream:
    """Read the logical `columns` of a fact table into memory.

    The files are taken to be in replay order (`replay_order.check` looks); with `sort` the rows are put into it
    here, ties kept in file order. Raises DataError for a missing column, a wrong type, or a value that does not fit,
    naming file and row.
    """
    files = catalog.table(table)
    refuse_unmapped(catalog, files, columns)
    read_columns = list(dict.fromkeys([*columns, *(REPLAY_ORDER[table] if sort else ())]))
    arrays = _read(files, read_columns, progress)
    if sort:
        order = stable_order([arrays[name] for name in REPLAY_ORDER[table]])
        if order is not None:
            arrays = {name: arrays[name][order] for name in columns}
    facts = {}
    if "ss_ticket_number" in columns:
        tickets = arrays["ss_ticket_number"]
        facts["tickets_ascend"] = not bool(np.any(tickets[1:] < tickets[:-1]))
    shifts = tuple(_lap_shift(name, arrays[name]) for name in columns)
    types = narrow_types(columns, [value_range(arrays[name]) for name in columns])
    chosen = []
    for name, kind in zip(columns, types, strict=True):  # one by one: the wide ones go
        chosen.append(np.ascontiguousarray(arrays.pop(name), dtype=kind))
    return Stream(table, tuple(columns), tuple(chosen), files.rows, shifts, facts)


def tickets_ascend(catalog: Catalog, table: str) -> bool:
    """Whether the ticket numbers of a fact table ascend: one pass in bounded memory.

    False for a table that has no tickets; of one in buckets they need to ascend in each.
    """
    files = catalog.table(table)
    if table != "store_sales":
        return False
    last, file, bucketed = -1, files.files[0], catalog.bucketed(table)
    for batch in located_batches(files, ("ss_ticket_number",)):
        if bucketed and batch.file != file:
            last, file = -1, batch.file
        (tickets,) = batch.columns
        if tickets[0] < last or np.any(tickets[1:] < tickets[:-1]):
            return False
        last = int(tickets[-1])
    return True


def greatest(catalog: Catalog, table: str, column: str, unknown: int) -> int:
    """The greatest value of a table's own integer column, by the files' metadata; `unknown` if they do not say."""
    maximum = 0
    for chunk in (each for file in catalog.table(table).files for each in column_chunks(file, column)):
        statistics = None if chunk is None else chunk.statistics
        if statistics is None or not (statistics.has_min_max or statistics.null_count == statistics.num_values):
            return unknown
        if statistics.has_min_max:
            maximum = max(maximum, int(statistics.max))
    return maximum


def column_chunks(file: Path, column: str) -> Iterator[Any]:
    """What the file's metadata says of a column in each row group; None where it has no such column."""
    metadata = read_metadata(file)
    places = (k for k in range(metadata.num_columns) if metadata.schema.column(k).path == column)
    place = next(places, None)
    for group in range(metadata.num_row_groups):
        yield None if place is None else metadata.row_group(group).column(place)


def located_batches(files: TableFiles, columns: Sequence[str], batch_rows: int = BATCH_ROWS) -> Iterator[Batch]:
    """The non-empty batches of a fact table, each with its place, so that an error can name file and row."""
    names = list(dict.fromkeys(name for column in columns for name in sources(files.name, column)))
    for file in files.files:
        first_row = 0
        for record_batch in _record_batches(files, file, names, batch_rows):
            if record_batch.num_rows == 0:
                continue
            arrays = tuple(convert(files.name, column, record_batch, file, first_row) for column in columns)
            yield Batch(file, first_row, arrays)
            first_row += record_batch.num_rows


def _record_batches(files: TableFiles, file: Path, names: list[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
    with reading(file), open_parquet(file) as opened:
        files.require_unchanged(file)
        check_types(file, opened.schema_arrow, names)
        # One thread: in a streaming run the workers are the only threads.
        yield from opened.iter_batches(batch_rows, columns=names, use_threads=False)
        files.require_unchanged(file)  # it may have been written over


def _read(files: TableFiles, columns: Sequence[str], progress: Progress | None) -> dict[str, Int64Array]:
    arrays = {name: np.empty(files.rows, dtype=np.int64) for name in columns}
    done = 0
    for batch in located_batches(files, columns):
        count = len(batch.columns[0])
        if done + count > files.rows:
            raise _changed(files)
        for name, values in zip(columns, batch.columns, strict=True):
            arrays[name][done : done + count] = values
        done += count
        if progress is not None:
            progress(done, files.rows)
    if done != files.rows:
        raise _changed(files)
    return arrays


def _changed(files: TableFiles) -> DataError:
    return DataError(f"Table {files.name} changed while it was read: let its writer finish, then try again.")


def _lap_shift(name: str, values: Int64Array) -> int:
    if len(values) == 0:
        return 0
    if name == "ts":
        return DAY * (int(values.max()) // DAY - int(values.min()) // DAY + 1)
    if name == "date":
        return int(values.max()) - int(values.min()) + 1
    if name in RENUMBERED:
        return int(values.max()) + 1
    return 0


def refuse_unmapped(catalog: Catalog, files: TableFiles, columns: Sequence[str]) -> None:
    """In ingested data a column of nothing but nulls is one that was never mapped: say so, rather than run over it."""
    if catalog.kind != "ingest" or files.rows == 0:
        return
    for name in columns:
        if name in _MUST_BE_MAPPED and all(_all_null(file, name) for file in files.files):
            raise DataError(
                f"Column {name} of {files.name} in {catalog.path} holds only nulls, and this query needs it: "
                "ingest the data again with that column mapped."
            )


def _all_null(file: Path, name: str) -> bool:
    for chunk in column_chunks(file, name):
        if chunk is None:
            return False  # a missing column has an error of its own
        statistics = chunk.statistics
        if statistics is None or not statistics.has_null_count or statistics.null_count != chunk.num_values:
            return False
    return True
