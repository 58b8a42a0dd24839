"""Figure 10: how long a tuple stays in a keyed operator, over the operator's cost, for each partitioning scheme."""

from __future__ import annotations

from streambench.execution.options import PARTITIONINGS
from streambench.lab.figures.chart import LOG, Chart, Panel, Row, reference
from streambench.lab.figures.figure import PaperFigure, measured
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.selection import Point, Selection, operator_latency


def select(selection: Selection) -> Selection:
    """A keyed operator under uniform keys; non-blocking, CT."""
    return selection.pipelines("ps").where(
        lambda point: point["micro"]["keys"] == "uniform", reorder="nonblocking", heuristic="ct"
    )


def own_cost(point: Point) -> float:
    """What the operator takes for a unit by itself, seconds: a tuple's latency counts its whole unit."""
    return float(point.operators[0]["cost_us"] * point["unit"] / 1e6)


def _chart(selection: Selection) -> Chart:
    most = max(point["workers"] for point in selection.points)
    points = selection.where(workers=most).best("partitioning")
    rows: list[Row] = []
    for point in points:
        rows += measured("", point["partitioning"], own_cost(point), operator_latency, point)
    costs = sorted({each["x"] for each in rows})
    rows += [reference("", "the operator's own cost", cost, cost) for cost in costs]
    unit = "a tuple" if points[0]["unit"] == 1 else f"a unit of {points[0]['unit']} tuples"
    text = f"A keyed operator under uniform keys, {most} workers; from its start on {unit} to its outputs' exit."
    panels = {"": Panel("", "mean processing latency", log=True, unit=seconds)}
    return Chart(f"the operator's cost of {unit}", panels, rows, PARTITIONINGS, text, LOG, seconds)


NEEDS = "a keyed operator of several costs under uniform keys"
FIGURES = (PaperFigure("10", NEEDS, select, _chart),)
