"""What tells whether a file is still the one that it was."""

from __future__ import annotations

import stat
from pathlib import Path

FileStamp = tuple[int, int]
"""Its size in bytes, and when it was changed last, in nanoseconds."""


def file_stamp(file: Path) -> FileStamp:
    """The stamp of ``file``. Raises OSError where there is no file: who opens a pipe waits for ever."""
    found = file.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is a pipe, a device or a folder")
    return found.st_size, found.st_mtime_ns
