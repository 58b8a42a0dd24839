"""What a page is made of: sections of blocks, and of a block the words, pictures and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument
from streambench.lab.show.table import Cell, Column, Layout

GOOD, BAD, OPEN = "good", "bad", "open"
MIB = 1 << 20


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

    @classmethod
    def of(cls, title: str, columns: Sequence[Column], rows: Iterable[Any]) -> Table:
        """Of declared columns and the rows."""
        values, layout = list(rows), Layout(title, columns)
        heads = layout.headings(values)
        numbers = [head for head, column in zip(heads, columns, strict=True) if column.number]
        return cls(title, heads, [layout.cells(row) for row in values], numbers)


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


@dataclass(frozen=True)
class Part:
    """A section as it is declared. ``blocks``: those that the results have something for; of none, no section."""

    name: str
    title: str
    blocks: Callable[[Sequence[NamedDocument], Drawing], Iterable[Block]]
    wide: bool = False

    def section(self, documents: Sequence[NamedDocument], drawing: Drawing) -> Section | None:
        """The section of these results."""
        blocks = list(self.blocks(documents, drawing))
        return Section(self.name, self.title, blocks, self.wide) if blocks else None


def right_or_wrong(row: Any, wrong: str = "no: {wrong} of {runs} wrong") -> Cell:
    """Whether all runs of a summary's row were right. ``wrong``: else, with the row's fields in braces."""
    return Cell("yes", tone=GOOD) if row["verified"] else Cell(wrong.format_map(row), tone=BAD)
