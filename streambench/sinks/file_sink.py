"""Files that hold the output, each whole or absent."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from streambench.data_folder import require_utf8
from streambench.errors import DataError, OptionError
from streambench.parquet_file import arrow_name
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.data_types import Nulls
from streambench.pyx.tuples.whole_number import whole_number

if TYPE_CHECKING:
    import pyarrow as pa


class BatchWriter(Protocol):
    """What pyarrow's writers of files have."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Append a batch."""

    def close(self) -> None:
        """Write what the format wants at the end."""


class FileSink(BatchSink):
    """Base of sinks that write files: one, where ``path`` ends as ``suffixes`` say, and else as many as are needed, in
    the folder ``path``, called ``part-00000000`` and so on, with the first suffix.

    A file has a hidden name while it is written, and gets its own when it is whole and on the disk: readers see whole
    files only. ``file_rows``: of a file, the last one has fewer. ``file_bytes``: a file ends with the batch that brings
    it to so many. Neither depends on workers, units or time, so equal streams make equal files. A run that fails leaves
    the files that were whole before. Raises OptionError for options that cannot be met, DataError, before the run, for
    a place that cannot be written to and for a folder with files of another run.
    """

    suffixes: tuple[str, ...]

    def __init__(
        self,
        path: str | Path,
        *,
        file_rows: int | None,
        file_bytes: int | None,
        batch_rows: int,
        restore: bool | Mapping[str, str],
        nulls: Nulls,
    ) -> None:
        super().__init__(batch_rows, None, restore, nulls)
        self.path = Path(path)
        require_utf8(self.path)
        self._is_file = self.path.name.lower().endswith(self.suffixes)
        if self._is_file and (file_rows or file_bytes):
            raise OptionError(f"{path} is one file: leave out `file_rows` and `file_bytes`, or name a folder.")
        self._most_rows = None if file_rows is None else whole_number("file_rows", file_rows, 1)
        self._most_bytes = None if file_bytes is None else whole_number("file_bytes", file_bytes, 1)
        self.files: list[Path] = []

    @abstractmethod
    def writer(self, file: pa.NativeFile, schema: pa.Schema) -> BatchWriter:
        """What writes batches of this schema to the file, which it does not close."""

    def begin(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._file: pa.NativeFile | None = None
        self.files = []
        folder = self.path.parent if self._is_file else self.path
        try:
            folder.mkdir(parents=True, exist_ok=True)
            found = [] if self._is_file else sorted(folder.glob(f"part-*{self.suffixes[0]}"))
        except OSError as problem:
            raise DataError(f"{folder} cannot be written to ({problem.strerror}): name another folder.") from None
        if found:
            raise DataError(
                f"{folder} holds {found[0].name} of another run: name an empty folder, or remove its files."
            )
        if self._is_file and self.path.is_dir():
            raise DataError(f"{self.path} is a folder, and is to be one file: name another.")

    def write(self, batch: pa.RecordBatch) -> None:
        while batch.num_rows:
            file = self._file or self._begin_file()
            part = batch if self._most_rows is None else batch.slice(0, self._most_rows - self._rows)
            self._writer.write_batch(part)
            self._rows += part.num_rows
            batch = batch.slice(part.num_rows)
            if self._rows == self._most_rows or (self._most_bytes and file.tell() >= self._most_bytes):
                self._end_file()

    def finish(self) -> None:
        if self._file is None and not self.files:  # a reader finds the columns of an empty output, too
            self._begin_file()
        if self._file is not None:
            self._end_file()

    def abandon(self) -> None:
        if self._file is not None:
            with suppress(Exception):  # on a full disk
                self._writer.close()
            self._file.close()
            self._file = None
            self._unfinished.unlink(missing_ok=True)

    def _begin_file(self) -> pa.NativeFile:
        import pyarrow as pa

        name = self.path if self._is_file else self.path / f"part-{len(self.files):08}{self.suffixes[0]}"
        self._name, self._unfinished = name, name.with_name(f".{name.name}.unfinished")
        self._rows = 0
        self._file = pa.OSFile(arrow_name(self._unfinished), "wb")
        self._writer = self.writer(self._file, self._schema)
        return self._file

    def _end_file(self) -> None:
        assert self._file is not None
        self._writer.close()
        self._file.close()
        self._file = None
        _to_disk(self._unfinished)
        self._unfinished.replace(self._name)
        _to_disk(self._name.parent)
        self.files.append(self._name)


def _to_disk(place: Path) -> None:
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
