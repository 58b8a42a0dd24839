"""Verdicts between two results of one kind, on one machine and one set of data: each against the one before."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.errors import StreambenchError
from streambench.lab.compare.comparison import Comparison, steps
from streambench.lab.report.given import RUN, Given
from streambench.lab.report.section import Block, Cell, Section, Table
from streambench.lab.report.verdicts import TONES
from streambench.lab.show import comparison as shown


def section(given: Sequence[Given]) -> Section | None:
    """None without two of one kind."""
    blocks = []
    for step in steps([(each.title, each.document) for each in given if each.kind != RUN]):
        title = f"{step.new} against {step.base}"
        if isinstance(step.found, StreambenchError):
            blocks.append(Block(title, (f"Not compared: {step.found}.",)))
        else:
            blocks.append(Block(title, (shown.caption(step.found),), (), (_table(step.found),)))
    return Section("comparisons", "What changed", blocks) if blocks else None


def _table(found: Comparison) -> Table:
    columns = shown.columns(found)
    places = [columns.index(name) for name in ("base", "new")]
    rows = []
    for row in found.rows:
        cells = [Cell(text) for text in shown.cells(found, row)]
        for place, value in zip([*places, places[1] + 1], (row.base, row.new, row.ratio), strict=True):
            cells[place] = Cell(cells[place].text, None if value is None else value.median)
        rows.append([*cells[:-1], Cell(cells[-1].text, tone=TONES[row.verdict])])
    return Table("New to base", columns, rows, ("workers", "base", "new", columns[places[1] + 1]))
