"""A table as a list of declared columns, which a terminal, a page of Markdown and the report's page draw alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.statistics import Interval

Get = str | Callable[[Any], Any]


class Cell(NamedTuple):
    """``sort``: what a table is sorted by, where that is not the text. ``tone``: how a verdict is coloured; its words
    alone say what it is."""

    text: str
    sort: float | None = None
    tone: str = ""


@dataclass(frozen=True)
class Column:
    """``of``: a field by its path ("latency.p50"), or a function of the row, which may return the whole cell.
    ``write``: of the field; or of the numbers of an interval, and then the heading says how surely those cover.

    ``none``: where there is no value. ``wrong``: in a row that was wrong; None: as in others. ``number``: stands on the
    right, and is sorted by its value. ``once``: blank below an equal one.
    """

    head: str
    of: Get
    write: Callable[[Any], str] = str
    none: str = "-"
    wrong: str | None = None
    number: bool = False
    once: bool = False

    def value(self, row: Any) -> Any:
        """What the row has for it."""
        if callable(self.of):
            return self.of(row)
        for name in self.of.split("."):
            row = None if row is None else row.get(name)
        return row

    def cell(self, row: Any) -> Cell:
        """The row's cell."""
        if self.wrong is not None and not row["verified"]:
            return Cell(self.wrong)
        value = self.value(row)
        if isinstance(value, Cell):
            return value
        if value is None:
            return Cell(self.none)
        if (interval := _interval(value)) is not None:
            return Cell(written(interval, self.write), interval.median)
        return Cell(self.write(value), value if self.number else None)

    def heading(self, rows: Iterable[Any]) -> str:
        """What stands above it in a table of these rows."""
        values = map(self.value, rows) if self.number else ()
        intervals = [each for each in map(_interval, values) if each is not None]
        return heading(self.head, intervals)


@dataclass(frozen=True)
class Layout:
    """``section``: a field, or a function of a row; a line parts rows that differ in it."""

    title: str | None
    columns: Sequence[Column]
    section: Get | None = None

    def headings(self, rows: Iterable[Any]) -> list[str]:
        """What stands above the columns."""
        listed = list(rows)
        return [each.heading(listed) for each in self.columns]

    def cells(self, row: Any) -> list[Cell]:
        """A row's cells."""
        return [each.cell(row) for each in self.columns]

    def texts(self, rows: Iterable[Any]) -> list[list[str]]:
        """The texts of all rows."""
        lines: list[list[str]] = []
        above = [""] * len(self.columns)
        for row in rows:
            texts = [cell.text for cell in self.cells(row)]
            pairs = zip(self.columns, texts, above, strict=True)
            lines.append(["" if column.once and text == last else text for column, text, last in pairs])
            above = texts
        return lines

    def terminal(self, rows: Iterable[Any], *, markup: bool = True, **how: Any) -> Table:
        """For a terminal. ``markup``: the texts may hold rich's; else cells are coloured by their tones. ``how``: as
        rich's tables take it."""
        listed = list(rows)
        table = Table(title=self.title, **how)
        for column, name in zip(self.columns, self.headings(listed), strict=True):
            table.add_column(name, justify="right" if column.number else "left")
        parts = Column("", self.section or (lambda row: None))
        previous = None
        for row, texts in zip(listed, self.texts(listed), strict=True):
            part = parts.value(row)
            if previous not in (None, part):
                table.add_section()
            previous = part
            tones = () if markup else [cell.tone for cell in self.cells(row)]
            table.add_row(*(texts if markup else map(Text, texts, tones)))
        return table

    def markdown(self, rows: Iterable[Any]) -> list[str]:
        """The lines of a table of Markdown."""
        listed = list(rows)
        texts = [
            [text.replace("|", chr(92) + "|") for text in each] for each in (self.headings(listed), *self.texts(listed))
        ]
        head, *lines = [f"| {' | '.join(each)} |" for each in texts]
        return [head, f"|{' --- |' * len(self.columns)}", *lines]


def words(*names: str, none: str = "") -> list[Column]:
    """Columns of plain words, called as their fields are."""
    return [Column(name, name, none=none) for name in names]


def number(head: str, of: Get, write: Callable[[Any], str] = str, none: str = "-", wrong: str | None = None) -> Column:
    """A column of numbers, or of medians with their intervals."""
    return Column(head, of, write, none, wrong, number=True)


def _interval(value: Any) -> Interval | None:
    if isinstance(value, Interval):
        return value
    return Interval.of(value) if isinstance(value, Mapping) and "low" in value else None
