"""What a bench or a sweep has measured so far, on disk: a JSON line for each finished step, so that a call goes on."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.data.catalog import MANIFEST, Catalog, TableFiles
from streambench.lab.host.machine import slug
from streambench.lab.record import results
from streambench.lab.workloads.workload import require_columns
from streambench.queries import query as queries
from streambench.version import __version__

SCHEMA = 2  # what options are called has changed: journals of before are not gone on with

Record = dict[str, Any]


def identity(plan: Mapping[str, Any], data: Sequence[Any], machine: Mapping[str, Any]) -> str:
    """A digest of all that must be the same for the runs of two calls to belong together.

    The plan and the data's state as plain values, the kind of machine, and the program's version and commit.
    """
    whole = [SCHEMA, plan, data, slug(dict(machine)), __version__, results.commit()]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def data_state(data: Catalog | None, names: Sequence[str], parameter_set: str) -> list[Any]:
    """The tables that these queries read, by their names, sizes and times, and the manifest where there is one.

    Raises DataError for a table or a column that is missing, so that it is not found out amid a long measurement.
    """
    if data is None:
        return []
    tables: dict[str, TableFiles] = {}
    for name in names:
        query = queries.find(name)
        for table in (query.table, *query.dimensions[parameter_set]):
            tables[table] = data.table(table)
        require_columns(data, query)
    files = [path for name in sorted(tables) for path in tables[name].files]
    manifest = data.path / MANIFEST
    stamps: list[Any] = [(str(path.relative_to(data.path)), *_stamp(path)) for path in files]
    return [*stamps, hashlib.sha256(manifest.read_bytes()).hexdigest()] if manifest.exists() else stamps


class Journal:
    """A context that holds a journal in ``folder`` open, for this process alone.

    ``kind``: what is measured, `bench` or `sweep`; ``key``: its identity. ``records`` are all steps, oldest first; a
    last line that was cut off while it was written is dropped. Raises StreambenchError where the file cannot be
    written, or is another process's.
    """

    def __init__(self, folder: Path, kind: str, key: str, *, restart: bool = False) -> None:
        self.path = folder / f"unfinished-{kind}-{key}.jsonl"
        self.records: list[Record] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as problem:
            raise self._cannot_be_written(problem) from problem
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise StreambenchError(
                f"the same {kind} is being measured by another process, into {self.path}: wait for it, or end it."
            ) from None
        except OSError:
            pass  # a file system without locks
        if restart:
            os.ftruncate(self._file, 0)
        self._length = self._read()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._file)

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a step; it is on disk when this returns. What was there stays, whatever happens."""
        line = json.dumps(record).encode() + b"\n"
        try:
            if os.pwrite(self._file, line, self._length) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError as problem:
            os.ftruncate(self._file, self._length)
            raise self._cannot_be_written(problem) from problem
        self._length += len(line)
        self.records.append(dict(record))

    def remove(self) -> None:
        """Remove the file: its points are in a result file now."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> int:
        """Read the whole lines; return the bytes that they take, and cut the rest off."""
        content = b"".join(_blocks(self._file))
        length = 0
        for line in content.splitlines(keepends=True):
            try:
                record = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:  # blocks that never reached the disk before the power went
                record = None
            if not isinstance(record, dict):
                break
            self.records.append(record)
            length += len(line)
        os.ftruncate(self._file, length)
        return length

    def _cannot_be_written(self, problem: OSError) -> StreambenchError:
        reason = os.strerror(problem.errno) if problem.errno else str(problem)
        kept = "; what it holds is kept, and the same command goes on from there" if self.records else ""
        return StreambenchError(
            f"the journal {self.path} cannot be written ({reason}): make room, or choose another folder with "
            f"--results{kept}."
        )


class Memory:
    """A journal that is not written, of a measurement that no other call goes on with."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a step."""
        self.records.append(dict(record))


def _blocks(file: int) -> Iterator[bytes]:
    while block := os.read(file, 1 << 20):
        yield block


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns
