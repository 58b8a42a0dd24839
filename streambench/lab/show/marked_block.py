"""What a command writes into a page of the docs, between two marks of its own, and nothing else of the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streambench.errors import StreambenchError


def marks(name: str) -> tuple[str, str]:
    """The lines between which it stands."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def with_block(page: Path, name: str, text: str) -> str:
    """What ``page`` is to hold: ``text`` between the marks of ``name``, all else as it was.

    Raises StreambenchError for a page that is not there, or without the two marks, each on a line of its own.
    """
    begin, end = marks(name)
    if not page.exists():
        raise StreambenchError(f"there is no page {page}: make it, with the lines {begin} and {end}, once each.")
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    bare = [line.strip() for line in lines]
    if bare.count(begin) != 1 or bare.count(end) != 1 or bare.index(begin) > bare.index(end):
        raise StreambenchError(
            f"{page} has no place for the tables: it needs the lines {begin} and, after it, {end}, once each."
        )
    before = "".join(lines[: bare.index(begin)])
    after = "".join(lines[bare.index(end) + 1 :])
    return f"{before}{begin}\n{text}{end}\n{after}"


def written_by(document: Mapping[str, Any]) -> str:
    """The program and its commit, of a result that stands in a page."""
    return f"streambench {document['version']}" + (f" ({document['git']})" if document.get("git") else "")


def note(command: str) -> str:
    """What stands above all else of it."""
    return f"<!-- what stands between these marks is written by `streambench {command}` -->"
