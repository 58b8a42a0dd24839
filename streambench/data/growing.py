"""Files and folders that grow, as feeds."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from streambench.data.feed import Feed
from streambench.data.files_begun import loaded_files, require_begun, saved_files
from streambench.data.json_batch import Decoder, json_batch
from streambench.data.parquet_files import ParquetFiles, rows_from
from streambench.data_folder import data_files, require_utf8
from streambench.errors import DataError, OptionError
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.whole_number import is_number

AT_ONCE = 1 << 20
"""Bytes of a file that are read together."""

LONGEST_LINE = 1 << 26


def _pause(look_seconds: float) -> float:
    if not is_number(look_seconds) or not 0 < look_seconds <= threading.TIMEOUT_MAX:
        raise OptionError(f"`look_seconds` must be a number above 0, not {look_seconds!r}.")
    return look_seconds


class GrowingFile(Feed):
    """The lines of the file ``path`` as rows, those that are appended later, too: JSON objects, or what ``batch_of``
    makes batches of, as of a ``KafkaFeed``. Empty lines are left out.

    A line counts once its end is there. ``end``: the stream ends when a file called so is in the same folder and all
    lines have been read, a last one without its end, too; None: never. ``look_seconds``: how often the file is looked
    at. Raises DataError for a file that is not there; the run raises it for lines that are no rows, and for a file that
    has become shorter or another one, as a log that is rotated does.
    """

    def __init__(
        self,
        path: str | Path,
        schema: pa.Schema,
        *,
        end: str | None = "_SUCCESS",
        batch_of: Decoder = json_batch,
        look_seconds: float = 0.5,
        batches_ahead: int = 4,
    ) -> None:
        self._path = Path(path)
        if not self._path.is_file():
            raise DataError(f"there is no file {path} that could grow: make it, or name another.")
        self._end, self._look_seconds, self._batch_of = end, _pause(look_seconds), batch_of
        super().__init__(self._rows(0), schema, batches_ahead=batches_ahead, resume=self._rows)

    def _rows(self, first: int) -> Iterator[pa.RecordBatch]:
        return rows_from(self._batches_of_lines(), first)

    def _batches_of_lines(self) -> Iterator[pa.RecordBatch]:
        rest, line = b"", 1
        try:
            with self._path.open("rb") as file:
                while True:
                    ended = self._end is not None and (self._path.parent / self._end).exists()  # looked at before
                    read = file.read(AT_ONCE)
                    whole, newline, rest = (rest + read).rpartition(b"\n")
                    if not read and ended:
                        whole, newline, rest = rest, rest[:1], b""
                    if newline:
                        lines = whole.split(b"\n")
                        yield from self._decoded(lines, line)
                        line += len(lines)
                    if len(rest) > LONGEST_LINE:
                        raise DataError(f"line {line} of {self._path} has more than {LONGEST_LINE} bytes: is it text?")
                    if read:
                        continue
                    if ended:
                        return
                    self._require_same(file.fileno(), file.tell())
                    if self._channel.wait_to_be_left(self._look_seconds):
                        return
        except OSError as problem:
            raise DataError(f"{self._path} cannot be read: {problem.strerror}.") from problem

    def _decoded(self, lines: list[bytes], first: int) -> Iterator[pa.RecordBatch]:
        values = [each for each in lines if each.strip()]
        try:
            if values:
                yield self._batch_of(values, self.schema)
        except Exception as problem:  # whatever the decoder raises
            reason = " ".join(str(problem).split()).rstrip(".")
            raise DataError(
                f"{self._path} has what is no row in its lines {first} to {first + len(lines) - 1}: {reason}."
            ) from problem

    def _require_same(self, handle: int, place: int) -> None:
        opened, named = os.fstat(handle), self._path.stat()
        if not os.path.samestat(opened, named) or named.st_size < place:
            raise DataError(
                f"{self._path} has become another file, or shorter, when {place} bytes had been read: append to it, "
                "and name a new file for a new stream."
            )


class GrowingFolder(Feed):
    """The Parquet files of ``folder``, those that come later, too, in the order of their names.

    A file counts once it has its name, so its writer gives it that when it is whole, as a ``ParquetSink`` does; names
    that begin with ``.`` or ``_`` are passed by. ``end``: the stream ends when a file called so is there and all others
    have been read; None: never. ``look_seconds``: how often the folder is looked at. ``schema``: None, of the first
    file, which must be there. Raises DataError for a folder that cannot be read; the run raises it for a file whose
    name is before one that has been read, and whose columns are others.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        schema: pa.Schema | None = None,
        end: str | None = "_SUCCESS",
        look_seconds: float = 0.5,
        batches_ahead: int = 4,
    ) -> None:
        self._folder = Path(folder)
        require_utf8(self._folder)
        if schema is None:
            found = data_files(self._folder)
            if not found:
                raise DataError(f"the folder {folder} holds no Parquet file yet: name the columns by schema=.")
            schema = ParquetFiles(found[0]).schema
        self._end, self._look_seconds = end, _pause(look_seconds)
        self._begun: list[
            tuple[str, int]
        ] = []  # files that have been opened, with their rows; another thread adds some
        super().__init__(self._rows(0), schema, batches_ahead=batches_ahead, resume=self._rows)

    def position(self, row: int) -> State:
        files, rows = [], 0
        for name, size in [*self._begun]:
            if rows < row:
                files.append((name, size))
            rows += size
        return {**super().position(row), "files": saved_files(files)}

    def seek(self, position: State) -> None:
        then = loaded_files(position["files"])
        require_begun(then, [(each.name, self._opened(each).rows) for each in data_files(self._folder)[: len(then)]])
        super().seek(position)

    def _rows(self, first: int) -> Iterator[pa.RecordBatch]:
        seen: list[Path] = []
        while True:
            ended = self._end is not None and (self._folder / self._end).exists()  # looked at before the files
            files = data_files(self._folder)
            new = files[len(seen) :]
            if files[: len(seen)] != seen:
                other = next(each for each in (*files, self._folder) if each not in seen)
                raise DataError(
                    f"{other} came, or a file went, when {seen[-1].name} had been read: give new files later names, "
                    "and leave old ones."
                )
            for file in new:
                opened = self._opened(file)
                self._begun.append((file.name, opened.rows))
                yield from opened.batches(self.schema.names, first=first)
                first = max(0, first - opened.rows)
            seen = files
            if not new and (ended or self._channel.wait_to_be_left(self._look_seconds)):
                return

    def _opened(self, file: Path) -> ParquetFiles:
        opened = ParquetFiles(file)
        if not opened.schema.equals(self.schema):
            raise DataError(f"the columns of {file} are not those of the stream: make them equal.")
        return opened
