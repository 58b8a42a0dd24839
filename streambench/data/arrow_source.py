"""Arrow data as the source of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from streambench.data.arrow_stream import ArrowData, ArrowStream
from streambench.data.held_columns import HeldColumns
from streambench.data.side_by_side import SideBySide
from streambench.errors import DataError, OptionError, StreambenchError
from streambench.pyx.tuples.data_types import Column, Nulls, State, Value
from streambench.pyx.tuples.table_source import NOT_YET, BatchSource


class ArrowSource(BatchSource):
    """The rows of ``data`` in order: a pyarrow Table, RecordBatch, RecordBatchReader or Dataset, the path of a Parquet
    file or of a folder of them, a list of files, a Feed, or anything that has ``__arrow_c_stream__``, such as a pandas
    or Polars DataFrame or a DuckDB relation.

    ``columns``: those to read, in this order; None: all. Integers, float32 and float64, booleans and fixed-size
    binaries are the runtime's own types; dates and times are integers of their unit; texts, and what has a dictionary,
    are int32 codes (see ``dictionaries``). Units read Arrow's own memory, but for booleans, texts, and batches in which
    nulls are filled in; no unit lies in two batches.

    ``dictionaries``: by column of texts the values that get the first codes, in this order. ``code`` says which code a
    value has.

    ``nulls``: the value that stands for null, by column, or one for all whose type has it. No other value of the column
    may equal it; NaN may, and then counts as null too. Texts need none: their null has code -1. ``read_ahead``: batches
    that are read ahead. ``time``: the column of event time, which never decreases, for units to carry its first and
    last value.

    Raises DataError for data that cannot be read or types that no column can have, OptionError for ``columns`` or
    ``nulls`` that do not fit. A null that nothing stands for, and whatever the data raise as they are read, is raised
    as DataError by the run, after all before it has reached the sink.
    """

    def __init__(
        self,
        data: ArrowData,
        columns: Sequence[str] | None = None,
        *,
        nulls: Nulls = None,
        read_ahead: int = 4,
        time: str | None = None,
        dictionaries: Mapping[str, Iterable[Value]] | None = None,
    ) -> None:
        self._stream = ArrowStream(data, columns)
        self.held_columns = HeldColumns(self._stream.schema, nulls)
        if not isinstance(dictionaries, Mapping | None) or any(
            isinstance(each, str) or not isinstance(each, Iterable) for each in (dictionaries or {}).values()
        ):
            raise OptionError("dictionaries= gives columns lists of their texts, such as {'country': ['AT', 'DE']}.")
        for column, values in (dictionaries or {}).items():
            for each in values:
                self.held_columns.code(column, each)
        self._ahead = read_ahead
        if time is not None and time in self.held_columns.dictionaries:
            raise DataError(f"column {time} holds texts, which are no times: name another by time=.")
        try:
            super().__init__(
                (), self._stream.schema.names, read_ahead, self._stream.rows(), self.held_columns.types, time
            )
        except ValueError as problem:
            raise OptionError(f"{problem}.") from None

    @property
    def in_memory(self) -> bool:
        """Whether all data are in memory before the run."""
        return self._stream.in_memory

    @property
    def again(self) -> bool:
        """Whether a further run gets the same rows; a RecordBatchReader can be read only once."""
        return self._stream.again

    @property
    def needs_this_loop(self) -> bool:
        """Whether it is a Feed that the event loop of this thread reads: then the thread must not wait for a run."""
        return self._stream.needs_this_loop

    @property
    def dictionaries(self) -> dict[str, pa.Array]:
        """The values by their codes, for each column of texts: as far as the stream has been read."""
        return self.held_columns.dictionaries

    def code(self, column: str, value: Value) -> int:
        """The code that stands for a value of a column of texts; a value that has not come yet is given the next one.

        Ask before the run, so that codes do not depend on when you asked. Raises OptionError for a column that holds no
        texts, and for a value that the column cannot have.
        """
        return self.held_columns.code(column, value)

    def open(self, partitions: int = 1) -> None:
        """Begin at the first row."""
        self._begin(0)

    def save(self) -> State:
        """Where the next unit begins, and the codes of texts."""
        return {**self._stream.position(self.taken), **self.held_columns.save()}

    def load(self, saved: State) -> None:
        """Begin there. Raises DataError where other rows were before it."""
        self.held_columns.load(saved)
        self._begin(self._stream.seek(saved))

    def _begin(self, first: int) -> None:
        decoded = self._stream.side_by_side(self._ahead, first)
        batches = self._read(first) if decoded is None else Decoded(decoded, self.held_columns, first)
        self.restart(batches, first)

    def end(self) -> None:
        """After a run: nothing more is read."""
        self._stream.end()

    def restore(self, table: pa.Table, names: Mapping[str, str] | None = None) -> pa.Table:
        """A pipeline's output (``sink.to_arrow()``) with columns of this source as they were in the data: texts, dates,
        times, nulls. Columns are the source's where they are called as one of its and have its type in the runtime.
        ``names``: for those called otherwise, the source's name.

        Raises DataError for codes that the dictionary has not, OptionError for ``names`` that do not fit.
        """
        return self.held_columns.restore(table, names)

    def _read(self, row: int) -> Iterator[object]:
        """The batches from that row on, as the runtime holds them."""
        batches = self._stream.batches(row)
        while True:
            try:
                batch = next(batches, None)
            except (StreambenchError, MemoryError):
                raise
            except Exception as problem:  # whatever the other library raises
                raise _unread(problem, row) from problem
            if batch is None:
                return
            if not isinstance(batch, pa.RecordBatch):
                yield batch
                continue
            yield self._values(batch, row)
            row += batch.num_rows

    def _values(self, batch: pa.RecordBatch, row: int) -> tuple[Column, ...]:
        try:
            return self.held_columns.values(batch.columns, row)
        except DataError as problem:
            lacking = self._stream.lacking()
            raise problem if lacking is None else DataError(f"{lacking}, where {problem}") from None


class Decoded:
    """The same for what is ``decoded`` side by side, in order; ``NOT_YET`` while the next batch is being decoded."""

    def __init__(self, decoded: SideBySide, columns: HeldColumns, row: int) -> None:
        self.work_ahead = decoded.work_ahead
        self._decoded = decoded
        self._columns = columns
        self._row = row

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        try:
            batch = next(self._decoded)
        except (StopIteration, StreambenchError, MemoryError):
            raise
        except Exception as problem:  # whatever Arrow raises
            raise _unread(problem, self._row) from problem
        if batch is NOT_YET:
            return NOT_YET
        values = self._columns.values(batch, self._row)
        self._row += len(batch[0])
        return values


def _unread(problem: Exception, rows: int) -> DataError:
    reason = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
    return DataError(f"the data could not be read beyond their first {rows:,} rows: {reason}.")
