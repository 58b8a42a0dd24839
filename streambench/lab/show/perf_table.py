"""The rows of `streambench bench perf`: a table on the terminal, and Markdown between two marks of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from streambench.errors import StreambenchError
from streambench.lab.host.machine import title
from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.perf_summary import Row, number, target_text, verdict
from streambench.lab.record.statistics import Interval

BEGIN, END = "<!-- perf: begin -->", "<!-- perf: end -->"
OF_PROCESSOR = "goes by the processor"
NOTE = "<!-- what stands between these marks is written by `streambench bench perf --markdown` -->"


def terminal(rows: Sequence[Row]) -> Table:
    """For a terminal."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in _headings(rows):
        table.add_column(name)
    for name, found in _sections(rows):
        table.add_section()
        table.add_row(f"[bold]{name}[/bold]")
        for row in found:
            table.add_row(*_cells(row), style={True: "green", False: "red", None: ""}[row["met"]])
    return table


def markdown(document: Mapping[str, Any]) -> str:
    """A table per section, under what says where and how it was measured. The same document gives the same text."""
    parameters, rows = document["parameters"], document["summary"]
    version = f"streambench {document['version']}" + (f" ({document['git']})" if document.get("git") else "")
    data = f", data {parameters['data']}" if parameters.get("data") else ""
    lines = [
        NOTE,
        "",
        f"Measured by `streambench bench perf` on {str(document['created'])[:10]}: {title(document['machine'])}, "
        f"{version}{data}.",
        f"Runs of about {parameters['seconds']:g} s, {parameters['repeats']} repeats, interleaved; "
        f"{_distance(document)}. {verdict(rows)}.",
    ]
    for name, found in _sections(rows):
        lines += ["", f"### {name}", "", f"| {' | '.join(_headings(found))} |", "| --- | --- | --- | --- | --- |"]
        lines += [f"| {' | '.join(_cells(row, strong='**'))} |" for row in found]
    return "\n".join(lines) + "\n"


def with_block(page: Path, text: str, marks: tuple[str, str] = (BEGIN, END)) -> str:
    """What ``page`` is to hold: ``text`` between the marks, all else as it was.

    Raises StreambenchError for a page that is not there, or without the two marks, each on a line of its own.
    """
    begin, end = marks
    before, after = _around(page, marks)
    return f"{before}{begin}\n{text}{end}\n{after}"


def block(page: Path) -> str:
    """What stands between the marks. Raises StreambenchError as ``with_block`` does."""
    before, after = _around(page, (BEGIN, END))
    content = page.read_text(encoding="utf-8")
    return content[len(before) + len(BEGIN) + 1 : len(content) - len(after) - len(END) - 1]


def _around(page: Path, marks: tuple[str, str]) -> tuple[str, str]:
    begin, end = marks
    if not page.exists():
        raise StreambenchError(f"there is no page {page}: make it, with the lines {begin} and {end}, once each.")
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    bare = [line.strip() for line in lines]
    if bare.count(begin) != 1 or bare.count(end) != 1 or bare.index(begin) > bare.index(end):
        raise StreambenchError(f"{page} has no place for the tables: give it the lines {begin} and {end}, once each.")
    return "".join(lines[: bare.index(begin)]), "".join(lines[bare.index(end) + 1 :])


def _sections(rows: Sequence[Row]) -> Iterable[tuple[str, list[Row]]]:
    for name, found in groupby(rows, key=lambda row: str(row["title"])):
        yield name, list(found)


def _headings(rows: Iterable[Row]) -> tuple[str, ...]:
    return "what", "target", heading("median", map(Interval.of, rows)), "met", "note"


def _distance(document: Mapping[str, Any]) -> str:
    found = [each for case in document["runs"] for each in case["core_round_trip_ns"]]
    if not found:
        return "one core only"
    return f"a cache line's round trip between the cores took {min(found):.0f} to {max(found):.0f} ns"


def _cells(row: Row, strong: str = "") -> tuple[str, ...]:
    met = {True: "met", False: f"{strong}not met{strong}", None: ""}[row["met"]]
    target = target_text(row) + (f", {OF_PROCESSOR}" if row.get("of_processor") else "")
    return row["what"], target, f"{written(Interval.of(row), number)} {row['unit']}", met, row["note"]
