"""Parquet files of a user's own as one table, read batch by batch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as is_

from streambench.data.file_stamp import FileStamp, file_stamp
from streambench.data.files_begun import FilesBegun, require_rows
from streambench.data.shortage import raise_shortage
from streambench.data.side_by_side import RowGroup
from streambench.data_folder import data_files, require_utf8
from streambench.errors import DataError
from streambench.parquet_file import open_parquet, read_metadata

BATCH_ROWS = 65_536
Rows = TypeVar("Rows", pa.RecordBatch, pa.Array)


class ParquetFiles:
    """``places``: a file, a folder of them (see ``data_files``) in the order of their names, or a list.

    ``schema`` is the first file's, ``rows`` are those of all; ``groups`` are the row groups, each a file and its number
    there. Raises DataError for what cannot be read, and, here and while it is read, for a file that has changed since.
    """

    def __init__(self, places: Any) -> None:
        listed = [Path(each) for each in (places if isinstance(places, (list, tuple)) else [places])]
        self.files = [file for place in listed for file in _files(place)]
        self._stamps = {file: _stamp(file) for file in self.files}
        footers = [_metadata(file) for file in self.files]
        self.schema: pa.Schema = footers[0].schema.to_arrow_schema()
        self.rows = sum(each.num_rows for each in footers)
        self.groups = [
            (file, k) for file, each in zip(self.files, footers, strict=True) for k in range(each.num_row_groups)
        ]
        self._metadata = dict(zip(self.files, footers, strict=True))

    def batches(self, names: Sequence[str], threads: bool = False, first: int = 0) -> Iterator[pa.RecordBatch]:
        """The columns called ``names``, from row ``first`` on. Raises DataError for a file in which their types are not
        those of the first.

        ``threads``: read by several. In a streaming run the workers are the only ones.
        """
        for file, metadata in self._metadata.items():
            groups, begun = _groups_from(metadata, first)
            first = max(0, first - metadata.num_rows)
            if metadata.num_row_groups and not groups:
                continue
            try:
                with open_parquet(file) as opened:
                    self._require_unchanged(file)
                    self._require_types(file, opened.schema_arrow, names)
                    read = opened.iter_batches(BATCH_ROWS, groups, list(names), use_threads=threads)
                    for batch in rows_from(read, begun):
                        yield batch.select(list(names))
                    self._require_unchanged(file)
            except (OSError, pa.ArrowException) as problem:
                self._require_unchanged(file)
                raise _unreadable(file, problem) from problem

    def row_groups(self, names: Sequence[str], first: int = 0) -> Iterator[RowGroup]:
        """The same column by column, for ``SideBySide``; types of one width only. Raises DataError as ``batches``."""
        for file, metadata in self._metadata.items():
            self._require_types(file, metadata.schema.to_arrow_schema(), names)
            groups, begun = _groups_from(metadata, first)
            first = max(0, first - metadata.num_rows)
            for number in groups:
                rows = metadata.row_group(number).num_rows
                if rows:
                    columns = tuple(rows_from(self.column(file, number, name), begun) for name in names)
                    yield RowGroup(-(-rows // BATCH_ROWS) - begun // BATCH_ROWS, columns)
                begun = 0

    def begun(self, row: int) -> FilesBegun:
        """The names of the files that hold the rows before ``row``, with the rows of each."""
        found, rows = [], 0
        for file, metadata in self._metadata.items():
            if rows < row:
                found.append((file.name, int(metadata.num_rows)))
            rows += metadata.num_rows
        return found

    def type_of(self, name: str) -> pa.DataType:
        """The type of the column called ``name``. Raises DataError where there is none, or where it is not one type."""
        if name not in self.schema.names:
            raise DataError(f"{self.files[0]} has no column {name!r}; it has {', '.join(self.schema.names)}.")
        if self.schema.names.count(name) > 1:
            raise DataError(f"{self.files[0]} has several columns {name!r}: rename all but one.")
        for file, each in self._metadata.items():
            self._require_types(file, each.schema.to_arrow_schema(), [name])
        return self.schema.field(name).type

    def require_one_schema(self) -> None:
        """Raises DataError for two columns of one name, and for a file whose columns are not those of the first."""
        names = self.schema.names
        twice = next((name for name, columns in Counter(names).items() if columns > 1), None)
        if twice is not None:
            raise DataError(f"{self.files[0]} has several columns {twice!r}: rename all but one.")
        for file, each in self._metadata.items():
            self._require_types(file, each.schema.to_arrow_schema(), names)
        self.require_no_more("make them equal")

    def require_no_more(self, remedy: str) -> None:
        """Raises DataError, which says what to do, for a file with a column that the first one has not."""
        first = set(self.schema.names)
        for file, each in self._metadata.items():
            names = each.schema.to_arrow_schema().names  # Parquet's own has what is within lists
            more = next((name for name in names if name not in first), None)
            if more is not None:
                raise DataError(f"{file} has a column {more!r}, which {self.files[0]} has not: {remedy}.")

    def column(self, file: Path, group: int, name: str) -> Iterator[pa.Array]:
        """One column of a row group, a batch at a time. Raises DataError as ``batches`` does."""
        try:
            # Metadata read anew for each group would take quadratic time.
            with open_parquet(file, metadata=self._metadata[file]) as opened:
                self._require_unchanged(file)
                self._require_types(file, opened.schema_arrow, [name])
                for batch in opened.iter_batches(BATCH_ROWS, [group], [name], use_threads=False):
                    yield batch.column(name)
                self._require_unchanged(file)
        except (OSError, pa.ArrowException) as problem:
            self._require_unchanged(file)
            raise _unreadable(file, problem) from problem

    def table(self, watch: Callable[[int], object]) -> pa.Table:
        """All columns, in memory; ``watch`` is called with the rows read so far. Dictionaries come as their values.

        So what comes does not depend on how the files are cut. Raises DataError as ``batches`` does.
        """
        self.require_one_schema()
        names = self.schema.names
        types = [field.type.value_type if is_.is_dictionary(field.type) else field.type for field in self.schema]
        schema = pa.schema(list(zip(names, types, strict=True)))
        batches, rows = [], 0
        for batch in self.batches(names, threads=True):
            batches.append(pa.Table.from_arrays(batch.columns, names=names).cast(schema))
            rows += len(batch)
            watch(rows)
        return pa.concat_tables(batches) if batches else schema.empty_table()

    def _require_unchanged(self, file: Path) -> None:
        """Asked once it is opened: so what was opened is what was there; and at its end: it may be written over."""
        if _stamp(file) != self._stamps[file]:
            raise DataError(f"{file} has changed since it was named: let its writer finish, then try again.")

    def _require_types(self, file: Path, schema: pa.Schema, names: Sequence[str]) -> None:
        for name in names:
            expected = self.schema.field(name).type
            types = [schema.field(place).type for place in sorted(schema.get_all_field_indices(name))]
            if types != [expected]:
                what = " and ".join(map(str, types)) or "not there"
                raise DataError(
                    f"column {name} is {expected} in {self.files[0]}, but {what} in {file}: make them equal."
                )


def rows_from(batches: Iterable[Rows], first: int) -> Iterator[Rows]:
    """What is left of ``batches`` without their first rows. Raises DataError where there are fewer."""
    left = first
    for batch in batches:
        if left < len(batch):
            yield batch.slice(left) if left else batch
        left = max(0, left - len(batch))
    require_rows(first, first - left)


def _groups_from(metadata: pq.FileMetaData, first: int) -> tuple[list[int], int]:
    """The row groups from that row of a file on, and how many rows of the first of them are before it."""
    groups = list(range(metadata.num_row_groups))
    while groups and first >= metadata.row_group(groups[0]).num_rows:
        first -= metadata.row_group(groups.pop(0)).num_rows
    return groups, first


def _files(place: Path) -> list[Path]:
    require_utf8(place)
    files = data_files(place) if place.is_dir() else [place]
    if not files:
        raise DataError(f"the folder {place} holds no file called *.parquet: name a Parquet file or a folder of them.")
    return files


def _stamp(file: Path) -> FileStamp:
    try:
        return file_stamp(file)
    except OSError as problem:
        raise _unreadable(file, problem) from problem


def _metadata(file: Path) -> pq.FileMetaData:
    try:
        return read_metadata(file)
    except (OSError, pa.ArrowException) as problem:
        raise _unreadable(file, problem) from problem


def _unreadable(file: Path, problem: BaseException) -> DataError:
    raise_shortage(problem)
    reason = (str(problem).splitlines() or [type(problem).__name__])[0].rstrip(".")
    if isinstance(problem, OSError) and problem.errno:
        reason = os.strerror(problem.errno)
    return DataError(f"{file} cannot be read as Parquet ({reason}): name a Parquet file or a folder of them.")
