"""Throughput, and speed-up against the serial engine, over workers: of every bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from streambench.lab.figures import scaling
from streambench.lab.figures.caption import origin
from streambench.lab.record.interval_text import error_bars
from streambench.lab.record.summary import SERIAL
from streambench.lab.report.inline_svg import Drawing
from streambench.lab.report.named_document import NamedDocument, of_kind
from streambench.lab.report.panel import Line, Mark, Panel, pictures
from streambench.lab.report.section import Block

Point = Mapping[str, Any]

TEXT = (
    "Input tuples per second, counted at the sink. Hollow marks are the engine serial: the same operators in one "
    "thread, without queues. The speed-up is the median of ratios to it within each repeat."
)


def blocks(documents: Sequence[NamedDocument], drawing: Drawing) -> Iterator[Block]:
    """Of benches that have a right run of a parallel engine."""
    for each in of_kind(documents, "bench"):
        points = scaling.points(each.document["runs"])
        if any(point["engine"] in scaling.PARALLEL for point in points):
            caption = f"{origin(each.document)} {error_bars([len(point['throughputs']) for point in points])}"
            yield Block(each.title, (TEXT, caption), pictures(drawing, _panels(points)))


def _panels(points: Sequence[Point]) -> Iterator[Panel]:
    """Throughput, and the speed-up, a line for each query."""
    parallel = [point for point in points if point["engine"] in scaling.PARALLEL]
    places = {count: float(at) for at, count in enumerate(sorted({point["workers"] for point in parallel}), start=1)}
    ticks = [(place, str(count)) for count, place in places.items()]
    speeds, gains = [], []
    for number, query in enumerate(dict.fromkeys(point["query"] for point in points)):
        own = [point for point in parallel if point["query"] == query]
        marks = [_mark(each, "throughput", places[each["workers"]]) for each in own]
        base = [point for point in points if point["query"] == query and point["engine"] == SERIAL]
        speeds.append(Line(query, number, marks, [_mark(each, "throughput", 0.0) for each in base]))
        ratios = [_mark(each, "ratio", places[each["workers"]]) for each in own if each["ratio"] is not None]
        gains.append(Line(query, number, ratios))
    yield Panel("Throughput", "workers", "tuples per second", speeds, [(0.0, SERIAL), *ticks], log=True, dodged=True)
    yield Panel("Speed-up", "workers", "times serial", gains, ticks, level=1.0, dodged=True)


def _mark(point: Point, name: str, x: float) -> Mark:
    runs = tuple(value for value in point[f"{name}s"] if value is not None)
    return Mark(x, point[name], point[f"{name}_low"], point[f"{name}_high"], runs)
