"""Percentile curves: how long tuples took, from the median to the slowest, of benches and join benches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.figures.lines import seconds
from streambench.record import join_summary
from streambench.report.given import Given, of_kind
from streambench.report.inline_svg import Drawing
from streambench.report.panel import Line, Mark, Panel, draw, told
from streambench.report.section import Block, Picture, Section

Row = Mapping[str, Any]

PLACES = {
    "p50": (0.0, "50 %"),
    "p90": (1.0, "90 %"),
    "p99": (2.0, "99 %"),
    "p999": (3.0, "99.9 %"),
    "max": (4.0, "max"),
}
FULL_SPEED = (
    "Processing latency, from the first operator's start on a unit until the sink has processed it, at full speed: "
    "that of a saturated pipeline. Medians of the repeats at each percentile."
)
AT_A_RATE = "From when a match's later tuple was due until the match left, in order, at a rate. Medians of the repeats."


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None where no right run has latencies."""
    blocks = []
    for each in of_kind(given, "bench", join_summary.KIND):
        join = each.kind == join_summary.KIND
        lines: dict[str, list[Line]] = {}
        for row in each.document["summary"]:
            named = _of_join(row) if join else _of_query(row)
            marks = _marks(row) if named else []
            if named and marks:
                panel, line = named
                lines.setdefault(panel, []).append(Line(line, len(lines.get(panel, ())), marks))
        panels = [
            Panel(name, "of all tuples", "latency at most", found, list(PLACES.values()), log=True, unit=seconds)
            for name, found in lines.items()
        ]
        pictures = [Picture(drawing.svg(draw(panel), told(panel))) for panel in panels]
        if pictures:
            blocks.append(Block(each.title, (AT_A_RATE if join else FULL_SPEED,), pictures))
    return Section("percentiles", "Percentile curves", blocks) if blocks else None


def _marks(row: Row) -> list[Mark]:
    found = row.get("latency") or {}
    return [Mark(place, found[name]) for name, (place, _) in PLACES.items() if found.get(name)]


def _of_query(row: Row) -> tuple[str, str] | None:
    if not row["verified"] or row.get("rate"):
        return None
    workers = f"{row['workers']} worker{'s' * (row['workers'] != 1)}"
    return str(row["query"]), str(row["engine"]) if row["engine"] == "serial" else f"{row['engine']}, {workers}"


def _of_join(row: Row) -> tuple[str, str] | None:
    if not row["verified"] or row["measure"] != "latency":
        return None
    threads = f"{row['threads']} thread{'s' * (row['threads'] != 1)}"
    return f"{row['tier']}, windows of {row['window_seconds']:g} s", threads
