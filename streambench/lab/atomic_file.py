"""Files that are there whole or not at all: written beside their place, then put there in one step.

The ground, like `errors` and `version`: every room may use it, datagen too, and it uses none. Whatever fails is an
OSError, or what the writer raised: each caller has its own sentence for that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

Writer = Callable[[IO[bytes]], object]

# Of a process that was killed while it wrote, such a file may stay: hidden, and never taken for a finished one.
PREFIX = ".writing-"


def replace(target: Path, content: bytes | Writer) -> None:
    """Write a file; one of that name is replaced, and stays as it was if this fails or is interrupted."""
    with draft(target.parent) as beside:
        fill(beside, content)
        beside.replace(target)


def create(folder: Path, names: Iterable[str], content: bytes | Writer) -> Path:
    """Write a new file to ``folder`` under the first of ``names`` that is free there, and return its path.

    Never overwrites, whoever else writes there. Raises FileExistsError where every name is taken.
    """
    with draft(folder) as beside:
        fill(beside, content)
        for name in names:
            if _claim(folder / name, beside):
                return folder / name
    raise FileExistsError(f"{folder / name} exists, and so do all others of its kind")


def probe(folder: Path, size: int) -> None:
    """Raise OSError where no file of ``size`` bytes can be written to ``folder``; nothing is left behind."""
    with draft(folder) as beside:
        fill(beside, bytes(size))


@contextmanager
def draft(folder: Path) -> Iterator[Path]:
    """The path of a file to come, beside its place; it is gone at the end unless it was moved, Ctrl-C or not."""
    beside = folder / f"{PREFIX}{os.urandom(8).hex()}"
    try:
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def fill(path: Path, content: bytes | Writer) -> None:
    """Write a file that is not there yet, as the umask has it; it is on disk, whole, when this returns."""
    with path.open("xb") as file:
        if callable(content):
            content(file)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _claim(name: Path, finished: Path) -> bool:
    """Give the finished file its name, unless that is taken: a link fails there, while a rename would overwrite."""
    try:
        name.hardlink_to(finished)
    except FileExistsError:
        return False
    except OSError:  # a file system without links: reserve the name, then replace the empty file at once
        try:
            name.touch(exist_ok=False)
        except FileExistsError:
            return False
        try:
            finished.replace(name)
        except BaseException:
            name.unlink()
            raise
    return True
