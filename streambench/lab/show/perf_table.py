"""The rows of `streambench bench perf`: a table on the terminal, and Markdown between two marks of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.table import Table

from streambench.lab.host.machine import title
from streambench.lab.record.interval_text import heading, written
from streambench.lab.record.perf_summary import number, target_text, verdict
from streambench.lab.record.run import Row
from streambench.lab.record.statistics import Interval
from streambench.lab.show.marked_block import note, written_by
from streambench.lab.show.table import Column, Layout

MARK = "perf"
OF_PROCESSOR = "goes by the processor"


def terminal(rows: Sequence[Row]) -> Table:
    """For a terminal."""
    layout = _layout(rows)
    table = layout.terminal((), box=box.SIMPLE_HEAD)
    for name, section in _sections(rows):
        table.add_section()
        table.add_row(f"[bold]{name}[/bold]")
        for row, texts in zip(section, layout.texts(section), strict=True):
            table.add_row(*texts, style={True: "green", False: "red", None: ""}[row["met"]])
    return table


def markdown(document: Mapping[str, Any]) -> str:
    """A table per section, under what says where and how it was measured. The same document gives the same text."""
    parameters, rows = document["parameters"], document["summary"]
    data = f", data {parameters['data']}" if parameters.get("data") else ""
    lines = [
        note("bench perf --markdown"),
        "",
        f"Measured by `streambench bench perf` on {str(document['created'])[:10]}: {title(document['machine'])}, "
        f"{written_by(document)}{data}.",
        f"Runs of about {parameters['seconds']:g} s, {parameters['repeats']} repeats, interleaved; "
        f"{_distance(document)}. {verdict(rows)}.",
    ]
    for name, section in _sections(rows):
        lines += ["", f"### {name}", "", *_layout(section, "**").markdown(section)]
    return "\n".join(lines) + "\n"


def _layout(rows: Iterable[Row], strong: str = "") -> Layout:
    met = {True: "met", False: f"{strong}not met{strong}", None: ""}
    columns = (
        Column("what", "what"),
        Column("target", lambda row: target_text(row) + (f", {OF_PROCESSOR}" if row.get("of_processor") else "")),
        Column(
            heading("median", map(Interval.of, rows)),
            lambda row: f"{written(Interval.of(row), number)} {row['unit']}",
        ),
        Column("met", lambda row: met[row["met"]]),
        Column("note", "note"),
    )
    return Layout(None, columns)


def _sections(rows: Sequence[Row]) -> Iterable[tuple[str, list[Row]]]:
    for name, section in groupby(rows, key=lambda row: str(row["title"])):
        yield name, list(section)


def _distance(document: Mapping[str, Any]) -> str:
    distances = [each for case in document["runs"] for each in case["core_round_trip_ns"]]
    if not distances:
        return "one core only"
    return f"a cache line's round trip between the cores took {min(distances):.0f} to {max(distances):.0f} ns"
