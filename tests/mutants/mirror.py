"""Copies of a source tree that keep modification times, so that a build compiles only what a mutation has changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

UNTOUCHED = {"__pycache__", ".hypothesis", ".pytest_cache"}


def mirror(source: Path, target: Path, names: Iterable[str]) -> None:
    """Make files and folders ``names`` of ``target`` what they are in ``source``.

    Copies what differs in size or time, a link as a link.
    """
    for name in names:
        _mirror(source / name, target / name)


def _mirror(source: Path, target: Path) -> None:
    if not os.path.lexists(source):
        _remove(target)
    elif source.is_dir() and not source.is_symlink():
        if target.is_symlink() or not target.is_dir():
            _remove(target)
            target.mkdir(parents=True)
        inside = {each.name for folder in (source, target) for each in folder.iterdir()}
        for name in inside - UNTOUCHED:
            _mirror(source / name, target / name)
    elif not _same(source, target):
        _remove(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _same(source: Path, target: Path) -> bool:
    if not os.path.lexists(target) or source.is_symlink() != target.is_symlink():
        return False
    one, other = source.lstat(), target.lstat()
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)
