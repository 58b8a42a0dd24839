"""The folder of a run's checkpoints: each is there whole or not at all, and the last two are kept."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from streambench.checkpoints.checkpoint import Checkpoint
from streambench.errors import DataError, OptionError

KEPT = 2
SUFFIX = ".state"
UNFINISHED = ".unfinished"


class CheckpointFolder:
    """``path``, which this process has to itself until ``close``.

    Raises OptionError where another run has it, DataError where it cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._spare = path / f".spare{UNFINISHED}"
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_CREAT | os.O_RDWR, 0o666)
        except OSError as problem:
            raise DataError(f"{path} cannot hold checkpoints ({problem.strerror}): name another folder.") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the system lets it go with the process
        except OSError:
            os.close(self._lock)
            raise OptionError(
                f"another run has its checkpoints in {path}: wait for its end, or name another folder."
            ) from None
        for each in path.glob(f".*{UNFINISHED}"):
            with suppress(OSError):  # a folder of the user's
                each.unlink()

    def newest(self) -> Checkpoint | None:
        """The last one, or None. Raises DataError for a damaged one."""
        files = self._files()
        if not files:
            return None
        try:
            return Checkpoint.read(files[-1])
        except OSError as problem:
            raise DataError(f"the checkpoint {files[-1]} cannot be read ({problem.strerror}).") from None

    def put(self, checkpoint: Checkpoint) -> None:
        """Write one, over what the last one but two was. Raises OSError."""
        name = f"checkpoint-{checkpoint.row:020}{SUFFIX}"
        beside = self.path / f".{name}{UNFINISHED}"
        try:
            if self._spare.exists():  # pages and blocks that are there already take half the time
                self._spare.replace(beside)
            with beside.open("r+b" if beside.exists() else "wb") as file:
                checkpoint.write(file)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path / name)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
        to_disk(self.path)
        for each in self._files()[:-KEPT]:
            each.replace(self._spare)

    def close(self) -> None:
        """Others may have the folder."""
        self._spare.unlink(missing_ok=True)
        os.close(self._lock)

    def _files(self) -> list[Path]:
        return sorted(self.path.glob(f"checkpoint-*{SUFFIX}"))


def to_disk(place: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
