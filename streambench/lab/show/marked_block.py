"""What a command writes into a page of the docs, between two marks of its own, and nothing else of the page."""

from __future__ import annotations

from pathlib import Path

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
            f"{page} needs the lines {begin} and, after it, {end}, once each: the text goes between."
        )
    before = "".join(lines[: bare.index(begin)])
    after = "".join(lines[bare.index(end) + 1 :])
    return f"{before}{begin}\n{text}{end}\n{after}"
