"""Fact tables read while a run lasts: their files' row groups side by side, in bounded memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from streambench.data.side_by_side import RowGroup, SideBySide
from streambench.lab.data.catalog import Catalog, TableFiles, reading
from streambench.lab.data.columns import DAY, KEY_LIMIT, MONEY, check_types, sources
from streambench.lab.data.loader import greatest, refuse_unmapped
from streambench.lab.data.narrow_types import IntegerArray, narrow_types
from streambench.lab.data.narrowed import narrowed
from streambench.parquet_file import open_parquet, read_metadata, read_schema

BATCH_ROWS = 65_536  # a column of a batch is decoded at once: some 0.3 ms, and what is decoded stays in the cache


@dataclass(frozen=True)
class Streamed:
    """The logical `columns` of a fact table in the narrowest `types` that the files' metadata allow: int64 where these
    do not say.
    """

    catalog: Catalog
    files: TableFiles
    columns: tuple[str, ...]
    types: tuple[np.dtype[Any], ...]

    @classmethod
    def of(cls, catalog: Catalog, table: str, columns: Sequence[str]) -> Streamed:
        """Raises DataError for an ingested column that was never mapped."""
        files = catalog.table(table)
        refuse_unmapped(catalog, files, columns)
        types = narrow_types(columns, [_range_by_metadata(catalog, table, column) for column in columns])
        return cls(catalog, files, tuple(columns), types)

    def batches(self, ahead: int, batch_rows: int = BATCH_ROWS) -> SideBySide:
        """The same values as `load` gives, in batches of at most `batch_rows` rows of one row group, up to `ahead` of
        them decoded ahead. Giving them raises DataError as `load` does.
        """
        return SideBySide(self._row_groups(batch_rows), ahead)

    def _row_groups(self, batch_rows: int) -> Iterator[RowGroup]:
        names = [name for column in self.columns for name in sources(self.files.name, column)]
        for file in self.files.files:
            with reading(file):
                metadata = read_metadata(file)
            self.files.require_unchanged(file)
            check_types(file, metadata.schema.to_arrow_schema(), names)
            first_row, opened = 0, Opened(file, metadata, self.files.require_unchanged)
            for number in range(metadata.num_row_groups):
                group = Group(self.files.name, opened, number, first_row, batch_rows)
                if group.rows:
                    yield group.opened(self.columns, self.types)
                first_row += group.rows


class Opened:
    """A file with this ``metadata``, opened as often as columns are read side by side, and no oftener: to open it takes
    as long as to decode some ten thousand values. ``look``: called with the file whenever it has been
    opened, and when it has been read.
    """

    def __init__(
        self, file: Path, metadata: pq.FileMetaData, look: Callable[[Path], object] = lambda file: None
    ) -> None:
        self._look = look
        self.file = file
        self.metadata = metadata
        self._free: list[pq.ParquetFile] = []  # closed when nobody has the file any more; a list is safe among threads

    def take(self) -> pq.ParquetFile:
        """The file, for one column's reader, until it is given back. Raises what ``look`` does."""
        with contextlib.suppress(IndexError):
            return self._free.pop()
        # No reading ahead by Arrow: in a run the workers are the only threads.
        opened = open_parquet(self.file, metadata=self.metadata, pre_buffer=False)
        self._look(self.file)
        return opened

    def give_back(self, file: pq.ParquetFile) -> None:
        """Its reader has read all; one that fails keeps the file, and closes it. Raises what ``look`` does."""
        self._look(self.file)  # it may have been written over
        self._free.append(file)


@dataclass(frozen=True)
class Group:
    """Row group `number` of a file; its first row is `first_row` there."""

    table: str
    file: Opened
    number: int
    first_row: int
    batch_rows: int = BATCH_ROWS

    def opened(self, columns: Sequence[str], types: Sequence[np.dtype[Any]]) -> RowGroup:
        """Its logical columns, for `SideBySide`."""
        return RowGroup(-(-self.rows // self.batch_rows), tuple(map(self.column, columns, types)))

    @property
    def rows(self) -> int:
        return int(self.file.metadata.row_group(self.number).num_rows)

    def column(self, column: str, kind: np.dtype[Any]) -> Iterator[IntegerArray]:
        """The batches of a logical column, each decoded when it is asked for."""
        names, file, row = list(sources(self.table, column)), self.file.file, self.first_row
        end = row + self.rows
        with reading(file):
            opened = self.file.take()
            for batch in opened.iter_batches(self.batch_rows, [self.number], names, use_threads=False):
                values = narrowed(self.table, column, batch, file, row, kind)
                row += batch.num_rows
                if row == end:  # before it is given: who has the last batch does not ask again
                    self.file.give_back(opened)
                yield values


def _range_by_metadata(catalog: Catalog, table: str, column: str) -> tuple[int, int]:
    unknown = KEY_LIMIT
    if column == "cents":
        kinds = {read_schema(file).field(MONEY).type for file in catalog.table(table).files}
        digits = max(
            (each.precision - each.scale + 2 if pa.types.is_decimal(each) else 20 for each in kinds), default=0
        )
        return -(10**digits), 10**digits
    most = greatest(catalog, table, sources(table, column)[0], unknown)
    return (0, most * DAY + DAY - 1) if column == "ts" else (-1, most)
