"""Files that hold the output, each whole or absent."""

from __future__ import annotations

import os
import secrets
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from streambench.data_folder import require_utf8
from streambench.errors import DataError, OptionError, StreambenchError
from streambench.parquet_file import arrow_name
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.data_types import Nulls, State
from streambench.pyx.tuples.whole_number import whole_number
from streambench.sinks.row_journal import RowJournal

if TYPE_CHECKING:
    import pyarrow as pa

UNFINISHED = ".unfinished"
ROWS = ".rows"


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
    files only. A folder's files are never written over: of two runs into one folder at once, one fails. ``file_rows``:
    of a file, the last one has fewer. ``file_bytes``: a file ends with the batch that brings it to so many. Neither
    depends on workers, units or time, so equal streams make equal files. A run that fails leaves the files that were
    whole before, and no folder of its own that is empty.

    A run with checkpoints removes the files that are behind the one that it goes on from, and writes them again: the
    same. It keeps the rows of the file under way in the folder of its checkpoints.

    ``compression``: as pyarrow's writer of the format calls it. Raises OptionError for options that cannot be met,
    DataError, before the run, for a place that cannot be written to and for a folder with files of another run.
    """

    suffixes: tuple[str, ...]

    def __init__(
        self,
        path: str | Path,
        *,
        file_rows: int | None,
        file_bytes: int | None,
        batch_rows: int,
        compression: str | None,
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
        self._new_folders: list[Path] = []  # made for this run, the innermost first
        self._file: pa.NativeFile | None = None
        self._compression = compression
        self._kept: Path | None = None
        self._goes_on = False
        self._journal: RowJournal | None = None
        self._require_compression()

    @property
    def identity(self) -> str:
        """How its rows are cut and packed: only so are files that go on the same."""
        return (
            f"{super().identity}, file_rows {self._most_rows}, file_bytes {self._most_bytes}, "
            f"compression {self._compression}"
        )

    @abstractmethod
    def writer(self, file: pa.NativeFile, schema: pa.Schema) -> BatchWriter:
        """What writes batches of this schema to the file, which it does not close."""

    def checkpointed(self, prefix: Path | None, *, goes_on: bool) -> None:
        """The next run has checkpoints, and names of files that keep rows begin so; None: it has not. ``goes_on``: it
        begins at one, and files in the folder may be of the run before."""
        self._kept, self._goes_on = prefix, goes_on

    def begin(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._file = self._journal = None
        self.files = []
        folder = self.path.parent if self._is_file else self.path
        self._new_folders = [each for each in (folder, *folder.parents) if not each.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            found = [] if self._is_file or self._goes_on else sorted(folder.glob(f"part-*{self.suffixes[0]}"))
            attempt = _hidden(self._next_name())
            attempt.touch(exist_ok=False)
            attempt.unlink()
        except OSError as problem:
            raise DataError(f"{folder} cannot be written to ({problem.strerror}): name another folder.") from None
        if found:
            raise DataError(
                f"{folder} holds {found[0].name} of another run: name an empty folder, or remove its files."
            )
        if self._is_file and self.path.is_dir():
            raise DataError(f"{self.path} is a folder, and is to be one file: name another.")

    def save(self) -> State:
        """How many files are whole, and what is kept of the one under way."""
        position = np.zeros(2, np.int64) if self._journal is None else self._journal.position()
        folder = np.frombuffer(os.fsencode(self.path.resolve()), np.uint8)
        return {**super().save(), "files": np.array([len(self.files)]), "journal": position, "folder": folder}

    def load(self, saved: State) -> None:
        """Go on behind the files that were whole, and write the rows of the next one again. Raises DataError where one
        is missing, and where the folder is another one and holds more than these, OSError."""
        super().load(saved)
        self.files = [self._name_of(k) for k in range(int(saved["files"][0]))]
        for each in self.files:
            if not each.exists():
                raise DataError(f"{each}, which the run has written, is gone: name empty folders to begin anew.")
        folder, name = (self.path.parent, self.path.name) if self._is_file else (self.path, "part-*")
        for each in folder.glob(f".{name}.*{UNFINISHED}"):
            each.unlink()
        if not self._is_file:
            numbered = folder.glob(f"part-{8 * '[0-9]'}{self.suffixes[0]}")
            more = sorted({*numbered} - {*self.files})
            if more and saved["folder"].tobytes() != os.fsencode(self.path.resolve()):
                raise DataError(
                    f"{more[0]} is not of the run that the checkpoint is of, which wrote to "
                    f"{os.fsdecode(saved['folder'].tobytes())}: name that folder, or one without other files."
                )
            for each in more:
                each.unlink()
        size, check = saved["journal"].tolist()
        if size:
            journal = RowJournal(self._journal_of(len(self.files)), (size, check))
            self._begin_file(journal)
            for batch in journal.batches(self._schema):
                self._writer.write_batch(batch)
                self._rows += batch.num_rows

    def forget_rows(self, files: int) -> None:
        """Remove what is kept of the first so many files."""
        if self._kept is not None:
            for each in self._kept.parent.glob(f"{self._kept.name}-*{ROWS}"):
                if each < self._journal_of(files):
                    each.unlink()

    def write(self, batch: pa.RecordBatch) -> None:
        with self._told():
            self._write(batch)

    def _write(self, batch: pa.RecordBatch) -> None:
        while batch.num_rows:
            file = self._file or self._begin_file()
            part = batch if self._most_rows is None else batch.slice(0, self._most_rows - self._rows)
            self._writer.write_batch(part)
            if self._journal is not None:
                self._journal.append(part)
            self._rows += part.num_rows
            batch = batch.slice(part.num_rows)
            if self._rows == self._most_rows or (self._most_bytes and file.tell() >= self._most_bytes):
                self._end_file()

    def finish(self) -> None:
        with self._told():
            if self._file is None and not self.files:  # a reader finds the columns of an empty output, too
                self._begin_file()
            if self._file is not None:
                self._end_file()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A full disk in one sentence."""
        try:
            yield
        except OSError as problem:
            reason = os.strerror(problem.errno) if problem.errno else " ".join(str(problem).split()).rstrip(".")
            raise StreambenchError(
                f"{self.path} cannot be written ({reason}): make room, or name another."
            ) from problem

    def abandon(self) -> None:
        file, self._file = self._file, None
        self._close_journal()
        try:
            if file is not None:
                with suppress(Exception):  # on a full disk
                    self._writer.close()
                file.close()
        finally:
            if file is not None:
                self._unfinished.unlink(missing_ok=True)
            for each in self._new_folders:
                with suppress(OSError):  # where anything is in it
                    each.rmdir()

    def _require_compression(self) -> None:
        """Raises OptionError where a small batch cannot be written."""
        import pyarrow as pa

        batch = pa.record_batch({"n": [0]})
        try:
            writer = self.writer(pa.BufferOutputStream(), batch.schema)
            writer.write_batch(batch)
            writer.close()
        except Exception as problem:  # pyarrow raises errors of several types
            reason = " ".join(str(problem).split()).rstrip(".")
            raise OptionError(
                f"`compression` cannot be {self._compression!r} for a {type(self).__name__} ({reason}): name another."
            ) from problem

    def _name_of(self, number: int) -> Path:
        return self.path if self._is_file else self.path / f"part-{number:08}{self.suffixes[0]}"

    def _next_name(self) -> Path:
        return self._name_of(len(self.files))

    def _journal_of(self, number: int) -> Path:
        assert self._kept is not None
        return self._kept.with_name(f"{self._kept.name}-{number:08}{ROWS}")

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _begin_file(self, journal: RowJournal | None = None) -> pa.NativeFile:
        import pyarrow as pa

        if self._kept is not None:
            self._journal = journal or RowJournal(self._journal_of(len(self.files)))
        self._name = self._next_name()
        self._unfinished = _hidden(self._name)
        self._rows = 0
        self._file = pa.OSFile(arrow_name(self._unfinished), "wb")
        self._writer = self.writer(self._file, self._schema)
        return self._file

    def _end_file(self) -> None:
        assert self._file is not None
        self._writer.close()
        self._file.close()
        _to_disk(self._unfinished)
        if self._is_file:
            self._unfinished.replace(self._name)
        else:
            _name_anew(self._unfinished, self._name)
        _to_disk(self._name.parent)
        self.files.append(self._name)
        self._close_journal()
        self._file = None  # until here, `abandon` removes the unfinished file


def _hidden(name: Path) -> Path:
    """A hidden name beside ``name``, which no other run has."""
    return name.with_name(f".{name.name}.{os.getpid()}-{secrets.token_hex(4)}{UNFINISHED}")


def _name_anew(file: Path, name: Path) -> None:
    """Rename ``file``. Raises DataError where a file called ``name`` exists, also one that came just now."""
    taken = DataError(f"another run has written {name} meanwhile: name a folder of its own for each run.")
    try:
        os.link(file, name)
    except FileExistsError:
        raise taken from None
    except OSError:  # a file system without hard links
        if name.exists():
            raise taken from None
        file.rename(name)
    else:
        file.unlink()


def _to_disk(place: Path) -> None:
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
