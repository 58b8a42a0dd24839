"""The figure of a cluster bench: what a query costs over growing data, each way of running it a line."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from streambench.lab.figures.caption import DERIVED, MEASURED, not_drawn, origin, sentences
from streambench.lab.figures.chart import LOG
from streambench.lab.figures.files import Picture
from streambench.lab.figures.lines import plain, seconds
from streambench.lab.figures.points import Document, Point, right_points
from streambench.lab.figures.recipe import Axis, Mark, Recipe, chart_picture, measured
from streambench.lab.record.cluster_bench_summary import WAYS, rows, wrong
from streambench.lab.record.interval_text import error_bars

NAME = "cluster-cost"
LACKING = "no query and way of which all runs were right"
TUPLES = Axis("tuples of the stream", itemgetter("tuples"), LOG, lambda number: plain(float(f"{number:.3g}")))


def _way(point: Point) -> str:
    return WAYS[point["way"]]


def _title(point: Point) -> str:
    return str(point["query"].upper())


def _points(document: Document) -> list[Point]:
    return right_points(document["runs"], ("query", "way", "data", "tuples"), ("query", "way", "data", "cores"))


SECONDS = Mark(measured(itemgetter("seconds")), "seconds", itemgetter("query"), _way, _title, log=True, unit=seconds)
FIGURE = Recipe(NAME, "query and way", TUPLES, _points, (SECONDS,), "", tuple(WAYS.values()))


def pictures(document: Document) -> Iterator[Picture]:
    """The figure with its caption; none where no way of a query was right in all its runs."""
    chart = FIGURE.chart(document)
    if chart is None:
        return
    data = ", ".join(each["data"] for each in document["parameters"]["data_directories"])
    caption = sentences(
        "A standalone Spark cluster of two workers of one core on this machine; Spark's own start and a first run to "
        f"warm up are left out. Data: {data}.",
        origin(document, data=False),
        error_bars({each["repeats"] for each in chart.rows}),
        f"{MEASURED}; every run's answer was checked against SQL's."
        + not_drawn(wrong(rows(document["runs"])), between="; "),
        DERIVED,
    )
    yield chart_picture(NAME, chart, caption)
