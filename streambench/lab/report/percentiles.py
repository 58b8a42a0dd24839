"""Percentile curves: how long tuples took, from the median to the slowest, of benches and join benches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from streambench.execution.latency_histogram import merged, quantiles
from streambench.lab.figures.lines import seconds
from streambench.lab.record import join_summary
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.record.run import Plain
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument, of_kind
from streambench.lab.report.panel import Line, Mark, Panel, pictures
from streambench.lab.report.section import Block

Named = tuple[str, str]
"""The panel and the line that a row is drawn in."""

SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
LAST = 4.0  # the place of the maximum
TICKS = ((0.301, "50 %"), (1.0, "90 %"), (2.0, "99 %"), (3.0, "99.9 %"), (LAST, "max"))
STEPS = 13  # of a whole curve, up to 99.9 %
FULL_SPEED = (
    "Processing latency, from the first operator's start on a unit until the sink has processed it, at full speed: "
    "that of a saturated pipeline. Of all repeats together where whole distributions were recorded, else medians of "
    "the repeats."
)
AT_A_RATE = "From when a match's later tuple was due until the match left, in order, at a rate. Medians of the repeats."


def blocks(documents: Sequence[NamedDocument], drawing: Drawing) -> Iterator[Block]:
    """Of results with right runs that have latencies."""
    for each in of_kind(documents, "bench", join_summary.KIND):
        join = each.kind == join_summary.KIND
        lines: dict[str, list[Line]] = {}
        for row in each.document["summary"]:
            named = _of_join(row) if join else _of_query(row)
            marks = [] if named is None else curve(row, () if join else each.document["runs"])
            if named and marks:
                panel, line = named
                lines.setdefault(panel, []).append(Line(line, len(lines.get(panel, ())), marks))
        panels = [
            Panel(name, "of all tuples", "latency at most", curves, TICKS, log=True, unit=seconds)
            for name, curves in lines.items()
        ]
        if drawn := pictures(drawing, panels):
            yield Block(each.title, (AT_A_RATE if join else FULL_SPEED,), drawn)


def place(share: float) -> float:
    """Where a share stands on the axis: 90 %, 99 % and 99.9 % at equal distances."""
    return -math.log10(1 - share)


def curve(row: Plain, runs: Iterable[Plain]) -> list[Mark]:
    """The row's whole curve where each of its runs has its histogram, else its quantiles."""
    latency = row.get("latency") or {}
    same = [run for run in runs if _same(run, row)]
    known = [text for run in same if (text := run.get("latency_histogram"))]
    whole = merged(known) if known and len(known) == len(same) else None
    if whole is None:
        last = [Mark(LAST, latency["max"])] if latency.get("max") else []
        return [*(Mark(place(share), latency[name]) for name, share in SHARES.items() if latency.get(name)), *last]
    last = [Mark(LAST, quantiles(whole, [1.0])[0])]
    first, end = place(SHARES["p50"]), place(SHARES["p999"])
    places = [first + (end - first) * step / (STEPS - 1) for step in range(STEPS)]
    curve = [
        Mark(at, value) for at, value in zip(places, quantiles(whole, [1 - 10**-at for at in places]), strict=True)
    ]
    return [each for each in (*curve, *last) if each.y > 0]


def _same(run: Plain, row: Plain) -> bool:
    return all(run.get(name) == row.get(name) for name in ("query", *CONFIGURATION))


def _of_query(row: Plain) -> Named | None:
    if not row["verified"] or row.get("rate"):
        return None
    workers = f"{row['workers']} worker{'s' * (row['workers'] != 1)}"
    return str(row["query"]), str(row["engine"]) if row["engine"] == "serial" else f"{row['engine']}, {workers}"


def _of_join(row: Plain) -> Named | None:
    if not row["verified"] or row["measure"] != "latency":
        return None
    threads = f"{row['threads']} thread{'s' * (row['threads'] != 1)}"
    return f"{row['tier']}, windows of {row['window_seconds']:g} s", threads
