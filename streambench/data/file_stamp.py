"""What tells whether a file is still the one that it was."""

from __future__ import annotations

import stat
from pathlib import Path

FileStamp = tuple[int, int]
"""Its size in bytes, and when it was changed last, in nanoseconds."""


def file_stamp(file: Path) -> FileStamp:
    """The stamp of ``file``. Raises OSError where there is no file: who opens a pipe waits for ever."""
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is a pipe, a device or a folder")
    return status.st_size, status.st_mtime_ns
