"""Figures 12 and 13: speed-up and cost per tuple over workers, a line for each reordering scheme.

12: a light stateless operator, where putting outputs in order is a large part of the work. 13: a stateless operator
with many outputs per input before a keyed one, where handing them on is (paper 000, sections 7.3.1 and 7.3.2).
"""

from __future__ import annotations

from streambench.execution.options import REORDERS
from streambench.lab.figures.chart import Chart, Panel, Row, reference
from streambench.lab.figures.figure import PaperFigure, measured, speed_up
from streambench.lab.figures.lines import plain, seconds
from streambench.lab.figures.selection import Point, Selection, cost_of_first

LIGHT_US = 100  # below: the paper's light operator takes tens of µs
HIGH_SELECTIVITY = 10  # from here on; the paper's is 50


def select_light(selection: Selection) -> Selection:
    """A stateless operator of less than 100 µs with one output per input; hybrid, CT."""
    found = selection.pipelines("sl").where(heuristic="ct", partitioning="hybrid")
    return found.where(
        lambda point: point.operators[0]["cost_us"] < LIGHT_US and point.operators[0]["selectivity"] <= 1
    )


def select_selective(selection: Selection) -> Selection:
    """A stateless operator with 10 or more outputs per input, then a keyed one; hybrid, CT."""
    found = selection.pipelines("sl", "ps").where(heuristic="ct", partitioning="hybrid")
    return found.where(lambda point: point.operators[0]["selectivity"] >= HIGH_SELECTIVITY)


def workload(point: Point) -> str:
    """The first operator in a few words."""
    first = point.operators[0]
    many = f", selectivity {first['selectivity']:g}" if first["selectivity"] != 1 else ""
    return f"{seconds(first['cost_us'] * 1e-6)}{many}"


def _speed_up(selection: Selection) -> Chart:
    rows: list[Row] = []
    for point in selection.best("workers", "reorder"):
        rows += speed_up(selection, workload(point), point["reorder"], point)
    rows += [reference(panel, "serial", None, 1.0) for panel in dict.fromkeys(each["panel"] for each in rows)]
    return _chart(rows, "speed-up over serial", selection, "Speed-up of the whole pipeline.")


def _cost(selection: Selection) -> Chart:
    rows: list[Row] = []
    for point in selection.best("workers", "reorder"):
        rows += measured(workload(point), point["reorder"], point["workers"], cost_of_first, point)
    fused = " and of the source, which is fused with it" if rows and rows[0]["fuse"] else ""
    text = f"Worker time per input tuple of the first operator{fused}; waiting to put outputs in order is in it."
    return _chart(rows, "cost per tuple", selection, text)


def _chart(rows: list[Row], y_label: str, selection: Selection, text: str) -> Chart:
    unit = seconds if y_label == "cost per tuple" else plain
    panels = {name: Panel(name, y_label, unit=unit) for name in sorted(dict.fromkeys(each["panel"] for each in rows))}
    kinds = selection.points[0].operators
    what = "A light stateless operator" if len(kinds) == 1 else "A stateless operator of many outputs, then a keyed one"
    return Chart("workers", panels, rows, REORDERS, f"{what}, under CT and hybrid partitioning. {text}")


LIGHT = "a stateless operator of less than 100 µs, and its serial runs"
SELECTIVE = "a stateless operator of many outputs before a keyed one, and its serial runs"
FIGURES = (
    PaperFigure("12a", LIGHT, select_light, _speed_up),
    PaperFigure("12b", LIGHT, select_light, _cost),
    PaperFigure("13a", SELECTIVE, select_selective, _speed_up),
    PaperFigure("13b", SELECTIVE, select_selective, _cost),
)
