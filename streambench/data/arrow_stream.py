"""Arrow data of any kind as record batches in order: tables, datasets, Parquet files, readers, others' frames."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.types as is_

from streambench.data.feed import Feed
from streambench.data.files_begun import loaded_files, require_begun, require_rows, saved_files
from streambench.data.parquet_files import BATCH_ROWS, ParquetFiles, rows_from
from streambench.data.side_by_side import SideBySide
from streambench.errors import DataError, OptionError
from streambench.parquet_file import arrow_name, checked_format
from streambench.pyx.tuples.data_types import ArrowTable, State
from streambench.pyx.tuples.layout import MOST_COLUMNS

if TYPE_CHECKING:
    import pyarrow.dataset as ds

ArrowData: TypeAlias = "ArrowTable | Feed | ds.Dataset | str | Path | Sequence[str | Path]"
"""What an ``ArrowStream`` takes."""


def is_arrow(data: Any) -> bool:
    """Whether it is of a kind that ``ArrowStream`` takes, as far as its type tells."""
    paths = data if isinstance(data, (list, tuple)) and data else [data]
    return (
        isinstance(data, Feed)
        or _is_dataset(data)
        or hasattr(data, "__arrow_c_stream__")
        or all(isinstance(each, (str, Path)) for each in paths)
    )


class ArrowStream:
    """``data``: a pyarrow Table, RecordBatch, RecordBatchReader or Dataset, a Parquet file or a folder of them, several
    files, a Feed, or whatever has ``__arrow_c_stream__``. ``columns``: those to read, in this order; None: all.

    Raises DataError for what cannot be read, for columns that no stream can have, and, where all are to be read, for a
    column that the first of several files has not.
    """

    def __init__(self, data: ArrowData, columns: Sequence[str] | None = None) -> None:
        self._data = opened(data)
        if columns is None and isinstance(self._data, ParquetFiles):
            self._data.require_no_more("make them equal, or choose by columns=")
        self._reader: pa.RecordBatchReader | None = None
        if hasattr(self._data, "__arrow_c_stream__") and not isinstance(self._data, pa.Table):
            self._reader = _reader(self._data)
        self._whole: pa.Schema = self._data.schema if self._reader is None else self._reader.schema
        self.schema = pa.schema([self._whole.field(place) for place in _places(self._whole.names, columns)])

    @property
    def in_memory(self) -> bool:
        """Whether all of it is there already, for as long as this object is."""
        return isinstance(self._data, pa.Table)

    @property
    def again(self) -> bool:
        """Whether it can be read more than once."""
        return not isinstance(self._data, pa.RecordBatchReader | Feed)

    @property
    def needs_this_loop(self) -> bool:
        """Whether it is a Feed that the event loop of this thread reads."""
        return isinstance(self._data, Feed) and self._data.needs_this_loop

    def rows(self) -> int | None:
        """How many rows it has, where that is known without reading them."""
        if isinstance(self._data, pa.Table):
            return int(self._data.num_rows)
        return self._data.rows if isinstance(self._data, ParquetFiles) else None

    def side_by_side(self, ahead: int, first: int = 0) -> SideBySide | None:
        """The batches from row ``first`` on as lists of columns, which several may decode, up to ``ahead`` of them
        ahead; or None.

        Of Parquet files with columns of one width: any others Arrow cuts into batches where it likes.
        """
        if not isinstance(self._data, ParquetFiles) or not all(map(_has_width, self.schema.types)):
            return None
        return SideBySide(self._data.row_groups(self.schema.names, first), ahead)

    def position(self, row: int) -> State:
        """What ``seek`` needs to go on at ``row``. Raises OptionError for data that can be read only once."""
        if isinstance(self._data, pa.RecordBatchReader) or not (self.again or self._data.returns):
            raise OptionError(
                f"a {type(self._data).__name__} cannot be read again from where a run stopped: leave out `checkpoint`, "
                "or give files, a table, a KafkaFeed, or a Feed with `resume`."
            )
        if isinstance(self._data, Feed):
            return self._data.position(row)
        files = self._data.begun(row) if isinstance(self._data, ParquetFiles) else []
        return {"row": np.array([row]), "files": saved_files(files)}

    def seek(self, position: State) -> int:
        """Have ``batches`` begin there; returns the row. Raises DataError where other rows were before it."""
        row = int(position["row"][0])
        if isinstance(self._data, Feed):
            self._data.seek(position)
        elif isinstance(self._data, ParquetFiles):
            require_begun(loaded_files(position["files"]), self._data.begun(row))
        elif isinstance(self._data, pa.Table):
            require_rows(row, self._data.num_rows)
        return row

    def end(self) -> None:
        """No more is read of a feed."""
        if isinstance(self._data, Feed):
            self._data.close()

    def batches(self, first: int = 0) -> Iterator[Any]:
        """All batches, from row ``first`` on; of a feed, which has been told, heartbeats and ``NOT_YET``, too. Raises
        DataError where the data can be read only once, and has been."""
        names = self.schema.names
        if isinstance(self._data, pa.Table):
            return iter(self._data.slice(first).select(names).to_batches())
        if isinstance(self._data, ParquetFiles):
            return self._data.batches(names, first=first)
        if isinstance(self._data, Feed):
            return self._chosen(self._data.batches())
        if _is_dataset(self._data):
            # Few ahead, one thread: in a streaming run the workers are the only ones that work.
            scanner = self._data.scanner(
                columns=names, batch_size=BATCH_ROWS, use_threads=False, batch_readahead=4, fragment_readahead=1
            )
            return rows_from(scanner.to_batches(), first)
        reader, self._reader = self._reader, None
        if reader is None and not self.again:
            raise DataError("this RecordBatchReader has been read, and can be only once: make a new one for each run.")
        return rows_from(self._chosen(_reader(self._data) if reader is None else reader), first)

    def lacking(self) -> str | None:
        """Which file of a Dataset lacks a column, of which pyarrow makes nulls, in words; None where none does."""
        if not _is_dataset(self._data):
            return None
        import pyarrow.dataset as ds

        for fragment in self._data.get_fragments():
            there = {*fragment.physical_schema.names, *ds.get_partition_keys(fragment.partition_expression)}
            for name in self.schema.names:
                if name not in there:
                    return f"{getattr(fragment, 'path', 'a part of the dataset')} has no column {name}"
        return None

    def _chosen(self, reader: Iterable[Any]) -> Iterator[Any]:
        for batch in reader:
            if not isinstance(batch, pa.RecordBatch):
                yield batch
                continue
            if batch.schema.names != self._whole.names or batch.schema.types != self._whole.types:
                raise DataError(
                    f"a batch of the stream has the columns {_shown(batch.schema)}, where the stream's are "
                    f"{_shown(self._whole)}: give all batches one schema."
                )
            yield batch.select(self.schema.names)


def _has_width(kind: pa.DataType) -> bool:
    return bool(is_.is_primitive(kind) or is_.is_fixed_size_binary(kind))


def _is_dataset(data: Any) -> bool:
    module = sys.modules.get("pyarrow.dataset")  # importing it imports pandas, which takes longer than many a run
    return module is not None and isinstance(data, module.Dataset)


def opened(data: Any) -> Any:
    """What is read of ``data`` (see ``ArrowStream``): a Table, ParquetFiles, a Dataset, or what gives a reader."""
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if not is_arrow(data):
        raise OptionError(
            f"a {type(data).__name__} is no Arrow data: give a pyarrow Table, RecordBatchReader or Dataset, the path "
            "of a Parquet file, or something that has __arrow_c_stream__."
        )
    is_stream = isinstance(data, Feed) or _is_dataset(data) or hasattr(data, "__arrow_c_stream__")
    return data if is_stream else ParquetFiles(data)


def to_be_read_again(data: Any, *, in_memory: bool) -> Any:
    """Data that a function can read in several runs: files as a Table if ``in_memory``, and else as a Dataset.

    Raises OptionError for what can be read only once, DataError for what cannot be read, and for files whose columns
    are not those of the first: a Dataset would leave out what the first has not, and cast the rest without a word.
    """
    stream = opened(data)
    if isinstance(stream, pa.RecordBatchReader):
        raise OptionError("a RecordBatchReader can be read only once: give the table that its read_all() makes.")
    if not isinstance(stream, ParquetFiles):
        return stream
    stream.require_one_schema()
    if in_memory:
        return pa.Table.from_batches(stream.batches(stream.schema.names), stream.schema)
    import pyarrow.dataset as ds  # it imports pandas: only for those who need it

    return ds.dataset([arrow_name(each) for each in stream.files], format=checked_format())


def _reader(data: Any) -> pa.RecordBatchReader:
    if isinstance(data, pa.RecordBatchReader):
        return data
    try:
        return pa.RecordBatchReader.from_stream(data)
    except Exception as problem:  # whatever the other library raises
        raise DataError(
            f"this {type(data).__name__} gives no table by Arrow's C stream ({_reason(problem)})."
        ) from problem


def _places(names: list[str], columns: Sequence[str] | None) -> list[int]:
    """Where the wanted columns are among the stream's."""
    if isinstance(columns, str) or not isinstance(columns, Iterable | None):
        raise OptionError(f"columns= lists names of columns, and {columns!r} is no list.")
    chosen = list(names) if columns is None else list(columns)
    for name in chosen:
        if name not in names:
            raise DataError(f"there is no column {name}: there are {', '.join(names) or 'none'}.")
        if names.count(name) > 1:
            raise DataError(
                f"{names.count(name)} columns are called {name}: rename them, or leave them out by columns=."
            )
        if chosen.count(name) > 1:
            raise OptionError(f"columns= names {name} twice: name each column once.")
    if not 1 <= len(chosen) <= MOST_COLUMNS:
        raise DataError(
            f"a stream has 1 to {MOST_COLUMNS} columns, and this one would have {len(chosen)}: choose them by columns=."
        )
    return [names.index(name) for name in chosen]


def _shown(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} ({field.type})" for field in schema) or "none"


def _reason(problem: BaseException) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0].rstrip(".")
