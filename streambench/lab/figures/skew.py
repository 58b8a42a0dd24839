"""Figure 9: speed-up of a keyed operator over workers as its keys get more and more skewed."""

from __future__ import annotations

import json

from streambench.execution.options import PARTITIONINGS
from streambench.lab.figures.chart import Chart, Panel, Row, reference
from streambench.lab.figures.figure import PaperFigure, each_of, in_words, speed_up
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.selection import Point, Selection

FEWEST_RANGES = 3


def select(selection: Selection) -> Selection:
    """A keyed operator whose keys are N(0, σ) of the key space, cut into equal ranges; non-blocking, CT."""
    return selection.pipelines("ps").where(
        lambda point: point["micro"]["keys"] == "normal", partition_by="range", reorder="nonblocking", heuristic="ct"
    )


def apart_from_sigma(point: Point) -> str:
    """What must be equal for two workloads to differ by their skew alone."""
    same = {name: value for name, value in point["micro"].items() if name not in ("sigma", "seed", "tuples")}
    return json.dumps(same, sort_keys=True)


def sigma(point: Point) -> float:
    return float(point["micro"]["sigma"])


def cost(point: Point) -> str:
    """The operator's cost in words."""
    return seconds(point.operators[0]["cost_us"] * 1e-6)


def can_be_uneven(point: Point) -> bool:
    """Can skew make one partition larger than others? Not of two: both halves of N(0, sigma) are equal."""
    return bool(point["partitions"] >= FEWEST_RANGES)


def _left_out(selection: Selection) -> str:
    """What is not drawn since its ranges hold equally many keys at every sigma, in a sentence."""
    even = selection.where(lambda point: not can_be_uneven(point)).points
    found: dict[str, set[int]] = {}
    for point in even:
        found.setdefault(point["partitioning"], set()).add(point["workers"])
    told = [f"{scheme} with {in_words(sorted(workers))} workers" for scheme, workers in sorted(found.items())]
    return (
        f" Not drawn: {', '.join(told)}; with one range or two nothing is uneven, whatever sigma, since the two halves "
        "of a normal distribution are equal."
        if told
        else ""
    )


def _chart(selection: Selection) -> Chart:
    points = selection.where(can_be_uneven).best("workers", "partitioning")
    several = len({apart_from_sigma(point) for point in points}) > 1
    rows: list[Row] = []
    lines: dict[str, tuple[float, float]] = {}
    for point in points:
        line = f"sigma {sigma(point):g}" + (f", {cost(point)}" if several else "")
        lines[line] = (sigma(point), point.operators[0]["cost_us"])
        rows += speed_up(selection, point["partitioning"], line, point)
    schemes = each_of(points, PARTITIONINGS, "partitioning")
    rows += [
        reference(scheme, "serial", None, 1.0) for scheme in schemes if any(each["panel"] == scheme for each in rows)
    ]
    costs = ", ".join(dict.fromkeys(cost(point) for point in points))
    text = f"A keyed operator of {costs}, its keys N(0, sigma) and partitioned by range: small sigma, much skew."
    text += _left_out(selection)
    panels = {scheme: Panel(scheme, "speed-up over serial") for scheme in schemes}
    return Chart("workers", panels, rows, sorted(lines, key=lambda line: lines[line]), text)


NEEDS = "a keyed operator under normally distributed keys partitioned by range, and its serial runs"
FIGURES = (PaperFigure("9", NEEDS, select, _chart),)
