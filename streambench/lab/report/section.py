"""What a page is made of: sections of blocks, and of a block the words, pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

GOOD, BAD, OPEN = "good", "bad", "open"


class Cell(NamedTuple):
    """``sort``: what a table is sorted by, where that is not the text. ``tone``: how a verdict is coloured; its words
    alone say what it is."""

    text: str
    sort: float | None = None
    tone: str = ""


class Picture(NamedTuple):
    """``svg``: whole and safe to put into a page. ``caption``: plain words."""

    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Table:
    """``numbers``: the columns that are right-aligned."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: Sequence[str] = ()


@dataclass(frozen=True)
class Block:
    """A part of a section, of one result mostly: ``title`` says of which."""

    title: str = ""
    text: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()


@dataclass(frozen=True)
class Section:
    """``name``: its anchor in the page. ``wide``: pictures have several panels, and do not stand beside each other."""

    name: str
    title: str
    blocks: Sequence[Block] = field(default_factory=tuple)
    wide: bool = False


def words(*texts: object) -> list[Cell]:
    """Cells of plain words; what is None is blank."""
    return [Cell("" if text is None else str(text)) for text in texts]
