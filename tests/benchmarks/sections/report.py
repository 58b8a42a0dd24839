"""The performance report: as a table on the terminal, as Markdown, and as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from rich import box
from rich.table import Table
from sections.section import Plan, Row, Section, number

from streambench.core_distance import warning
from streambench.interval_text import heading, written
from streambench.machine import title
from streambench.results import commit
from streambench.version import __version__


def terminal(sections: Sequence[Section]) -> Table:
    """For a terminal."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in _headings(row for section in sections for row in section.rows):
        table.add_column(name)
    for section in sections:
        table.add_section()
        table.add_row(f"[bold]{section.title}[/bold]")
        for row in section.rows:
            style = {True: "green", False: "red", None: ""}[row.met]
            table.add_row(*_cells(row), style=style)
    return table


def markdown(sections: Sequence[Section], document: dict[str, Any]) -> str:
    """A fragment of docs/performance.md: a table per section, under what says where and how it was measured."""
    lines = [
        "<!-- written by the command below -->",
        "",
        f"Measured by `{document['command']}` on {document['created'][:10]}: {document['machine_title']}.",
        f"Runs of about {document['seconds']:g} s, {document['repeats']} repeats, interleaved; {_distance(document)}.",
    ]
    for section in sections:
        headings = " | ".join(_headings(section.rows))
        lines += ["", f"### {section.title}", "", f"| {headings} |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {' | '.join(_cells(row))} |" for row in section.rows]
    return "\n".join(lines) + "\n"


def plain(
    sections: Sequence[Section], plan: Plan, machine: dict[str, Any], warnings: Sequence[str], command: str
) -> dict[str, Any]:
    """Everything: the machine, the cores' distance, every row and every run."""
    moved = warning(plan.distances)
    return {
        "kind": "performance",
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "git": commit(),
        "command": command,
        "machine": machine,
        "machine_title": title(machine),
        "warnings": [*warnings, *([moved] if moved else [])],
        "seconds": plan.seconds,
        "repeats": plan.repeats,
        "core_round_trip_ns": plan.distances,
        "sections": [
            {"title": each.title, "rows": [row.plain() for row in each.rows], "runs": each.runs} for each in sections
        ],
    }


def verdict(sections: Sequence[Section]) -> str:
    """How many targets were met."""
    judged = [row.met for section in sections for row in section.rows if row.met is not None]
    return f"{sum(judged)} of {len(judged)} targets met"


def _headings(rows: Iterable[Row]) -> tuple[str, ...]:
    return "what", "target", heading("median", (row.measured for row in rows)), "met", "note"


def _distance(document: dict[str, Any]) -> str:
    found = document["core_round_trip_ns"]
    if not found:
        return "one core only"
    return f"a cache line's round trip between the cores took {min(found):.0f} to {max(found):.0f} ns"


def _cells(row: Row) -> tuple[str, ...]:
    target = "" if row.target is None else f"{'≤' if row.at_most else '≥'} {row.target:g} {row.unit}"
    met = {True: "met", False: "**not met**", None: ""}[row.met]
    return row.what, target, f"{written(row.measured, number)} {row.unit}", met, row.note
