"""The result files that names, folders and patterns stand for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from streambench.errors import StreambenchError

Names = str | Path | Iterable[str | Path]


def result_files(names: Names) -> list[Path]:
    """The files, each once, in the order of the names; those of a folder or of a pattern (``results/*.json``) by name.

    Raises StreambenchError for a folder or pattern without any. That a named file is there is found out by its reader.
    """
    places = [names] if isinstance(names, str | Path) else list(names) if isinstance(names, Iterable) else [names]
    if not all(isinstance(each, str | Path) for each in places):
        raise StreambenchError(f"results are named by texts and paths, not by {places[0]!r}: name files or folders")
    if not places:
        raise StreambenchError("no result file was named: name files, folders or patterns such as results/*.json")
    return list(dict.fromkeys(path for name in places for path in _files(name)))


def one_result(name: str | Path) -> Path:
    """The file, or the one of a folder or pattern. Raises StreambenchError where there is none, or several."""
    files = result_files(name)
    if len(files) > 1:
        raise StreambenchError(f"{name} holds {len(files)} result files: name one of them")
    return files[0]


def _files(name: str | Path) -> list[Path]:
    path = Path(name)
    if path.is_dir():
        files = sorted(path.glob("*.json"))
    elif path.exists() or not any(mark in str(name) for mark in "*?["):
        return [path]
    else:
        files = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    if not files:
        raise StreambenchError(f"there is no result file {'in ' if path.is_dir() else ''}{name}: name another place")
    return files
