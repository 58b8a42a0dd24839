"""Throughput, and speed-up against the serial engine, over workers: of every bench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.figures import scaling
from streambench.lab.figures.caption import origin
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.summary import SERIAL
from streambench.lab.report.given import Given, of_kind
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.panel import Line, Mark, Panel, draw, told
from streambench.lab.report.section import Block, Picture, Section

Point = Mapping[str, Any]

TEXT = (
    "Input tuples per second, counted at the sink. Hollow marks are the engine serial: the same operators in one "
    "thread, without queues. The speed-up is the median of ratios to it within each repeat."
)


def section(given: Sequence[Given], drawing: Drawing) -> Section | None:
    """None without a bench that has a right run of a parallel engine."""
    blocks = [block for each in of_kind(given, "bench") for block in _blocks(each, drawing)]
    return Section("throughput", "Throughput over workers", blocks) if blocks else None


def _blocks(given: Given, drawing: Drawing) -> list[Block]:
    found = scaling.points(given.document["runs"])
    parallel = [point for point in found if point["engine"] in scaling.PARALLEL]
    if not parallel:
        return []
    counts = sorted({point["workers"] for point in parallel})
    places = {count: float(place) for place, count in enumerate(counts, start=1)}
    ticks = [(place, str(count)) for count, place in places.items()]
    queries = list(dict.fromkeys(point["query"] for point in found))
    speed = [
        Line(
            query,
            number,
            [_mark(each, "throughput", places[each["workers"]]) for each in parallel if each["query"] == query],
            [_mark(each, "throughput", 0.0) for each in found if each["query"] == query and each["engine"] == SERIAL],
        )
        for number, query in enumerate(queries)
    ]
    gains = [
        Line(
            query,
            number,
            [
                _mark(each, "ratio", places[each["workers"]])
                for each in parallel
                if each["query"] == query and each["ratio"] is not None
            ],
        )
        for number, query in enumerate(queries)
    ]
    panels = [
        Panel("Throughput", "workers", "tuples per second", speed, [(0.0, SERIAL), *ticks], log=True, dodged=True),
        Panel("Speed-up", "workers", "times serial", gains, ticks, level=1.0, dodged=True),
    ]
    repeats = [len(point["throughputs"]) for point in found]
    caption = f"{origin(given.document)} {error_bars(repeats)}"
    pictures = [
        Picture(drawing.svg(draw(panel), told(panel))) for panel in panels if any(line.marks for line in panel.lines)
    ]
    return [Block(given.title, (TEXT, caption), pictures)]


def _mark(point: Point, name: str, x: float) -> Mark:
    runs = tuple(value for value in point[f"{name}s"] if value is not None)
    return Mark(x, point[name], point[f"{name}_low"], point[f"{name}_high"], runs)
