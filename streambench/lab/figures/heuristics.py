"""Figure 8: throughput and latency of the queries over workers, a line for each scheduling heuristic."""

from __future__ import annotations

from dataclasses import replace

from streambench.execution.options import HEURISTICS
from streambench.lab.figures.chart import Chart, Panel, Row
from streambench.lab.figures.figure import PaperFigure, each_of, measured
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.selection import QUERIES, Measure, Selection, latency, throughput
from streambench.lab.record.summary import SERIAL

TEXT = "Scheduling heuristics, with non-blocking reordering and hybrid partitioning."


def select(selection: Selection) -> Selection:
    return selection.queries().where(reorder="nonblocking", partitioning="hybrid")


def _chart(selection: Selection, measure: Measure, panel: Panel) -> Chart:
    points = selection.best("workers", "heuristic")
    queries = each_of(points, QUERIES, "query")
    rows: list[Row] = []
    for point in points:
        rows += measured(point["query"], point["heuristic"], point["workers"], measure, point)
    for query in queries:
        for serial in selection.serial_units(next(point for point in points if point["query"] == query)):
            rows += measured(query, f"serial, unit {serial['unit']}", None, measure, serial)
    panels = {query: Panel(query.upper(), panel.y_label, panel.log, panel.unit) for query in queries}
    serial_text = _serial_text({each["unit"] for each in rows if each["engine"] == SERIAL}, points[0]["unit"])
    return Chart("workers", panels, rows, HEURISTICS, f"{TEXT} {serial_text}")


def _serial_text(units: set[int], unit: int) -> str:
    """Which unit sizes the grey lines have, and whether one is missing that would compare like with like."""
    if not units:
        return "The serial engine was not measured."
    text = f"Grey: the serial engine in units of {' and of '.join(map(str, sorted(units)))}."
    return text if unit in units else f"{text} In units of {unit}, as the schemes, this sweep did not measure it."


def _throughput(selection: Selection) -> Chart:
    return _chart(selection, throughput, Panel("", "throughput (tuples/s)"))


def _latency(selection: Selection) -> Chart:
    chart = _chart(selection, latency, Panel("", "mean latency", log=True, unit=seconds))
    return replace(chart, text=f"{chart.text} Processing latency of a saturated pipeline.")


NEEDS = "the queries under several heuristics, with non-blocking reordering and hybrid partitioning"
FIGURES = (
    PaperFigure("8a", NEEDS, select, _throughput),
    PaperFigure("8b", NEEDS, select, _latency),
)
