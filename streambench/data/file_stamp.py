"""What tells whether a file is still the one that it was."""

from __future__ import annotations

from pathlib import Path

FileStamp = tuple[int, int]
"""Its size in bytes, and when it was changed last, in nanoseconds."""


def file_stamp(file: Path) -> FileStamp:
    """The stamp of ``file``. Raises OSError where it is not there."""
    found = file.stat()
    return found.st_size, found.st_mtime_ns
