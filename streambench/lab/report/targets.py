"""How every measure of `streambench bench perf` stands to its target."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.perf_summary import Row, number, target_text, verdict
from streambench.lab.record.statistics import Interval
from streambench.lab.report.given import Given, of_kind
from streambench.lab.report.section import BAD, GOOD, Block, Cell, Section, Table, words


def section(given: Sequence[Given]) -> Section | None:
    """None without a result of perf."""
    blocks = []
    for each in of_kind(given, "perf"):
        rows = each.document["summary"]
        median = heading("median", [Interval.of(row) for row in rows])
        columns = ("section", "what", "target", median, "unit", "met", "note")
        table = Table("Measures and targets", columns, [_cells(row) for row in rows], (median, "target"))
        blocks.append(Block(each.title, (f"{verdict(rows)}. Every run was checked.",), (), (table,)))
    return Section("targets", "Against targets", blocks) if blocks else None


def _cells(row: Row) -> list[Cell]:
    met = {True: Cell("met", tone=GOOD), False: Cell("not met", tone=BAD), None: Cell("")}
    return [
        *words(row["section"], row["what"]),
        Cell(target_text(row), row["target"]),
        Cell(written(Interval.of(row), number), row["median"]),
        *words(row["unit"]),
        met[row["met"]],
        *words(row["note"]),
    ]
