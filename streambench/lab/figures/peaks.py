"""Figures 11 and 14: each query where it is fastest, by partitioning and by reordering scheme."""

from __future__ import annotations

from collections.abc import Sequence

from streambench.execution.options import PARTITIONINGS, REORDERS
from streambench.lab.figures.chart import NAMES, Chart, Panel, Row
from streambench.lab.figures.figure import PaperFigure, in_words, measured
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.selection import QUERIES, Selection, latency, throughput

PEAK = "each at its peak among the numbers of workers that all schemes were measured with"


def select_partitionings(selection: Selection) -> Selection:
    return selection.queries().where(heuristic="ct", reorder="nonblocking")


def select_reorders(selection: Selection) -> Selection:
    return selection.queries().where(heuristic="ct", partitioning="hybrid")


def _chart(selection: Selection, field: str, lines: Sequence[str], panels: dict[str, Panel], text: str) -> Chart:
    rows: list[Row] = []
    for point in sorted(selection.comparable(field).best(field), key=lambda point: QUERIES.index(point["query"])):
        for panel in panels:
            rows += measured(panel, point[field], point["query"], latency if panel == "latency" else throughput, point)
    compared = sorted({point["workers"] for point in selection.comparable(field).points})
    numbers = f"{in_words(compared)} worker{'' if compared == [1] else 's'}"
    among = f"Those are {numbers}; the number beside a mark is that of its peak."
    return Chart("query", panels, rows, lines, f"{text} {among}", NAMES, beside="workers")


def _partitionings(selection: Selection) -> Chart:
    panels = {
        "throughput": Panel("peak throughput", "throughput (tuples/s)", log=True),
        "latency": Panel("latency at that point", "mean latency", log=True, unit=seconds),
    }
    text = f"Marks are partitioning schemes, with CT and non-blocking reordering, {PEAK}."
    return _chart(selection, "partitioning", PARTITIONINGS, panels, text)


def _reorders(selection: Selection) -> Chart:
    panels = {"throughput": Panel("peak throughput", "throughput (tuples/s)", log=True)}
    text = f"Marks are reordering schemes, with CT and hybrid partitioning, {PEAK}."
    return _chart(selection, "reorder", REORDERS, panels, text)


FIGURES = (
    PaperFigure("11", "the queries under CT with non-blocking reordering", select_partitionings, _partitionings),
    PaperFigure("14", "the queries under CT with hybrid partitioning", select_reorders, _reorders),
)
