"""What figures of summaries have in common: their points, axes and words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter

from streambench.lab.figures.chart import LOG
from streambench.lab.figures.points import Document, Point, right_points, values_of
from streambench.lab.figures.recipe import Axis, Drawn
from streambench.lab.record.run import Plain as Run
from streambench.lab.record.topk_summary import POINT, SHARED_BY_RUNS

TUNED = "auto-tuned"
SETTINGS = ("epsilon", "rho", "query_every")
DESIGN, THREADS = map(itemgetter, ("design", "threads"))
STREAMS = Axis("streams, a thread each", THREADS, LOG)
ALPHA = Axis("α of Zipf's law", itemgetter("alpha"))

Points = Sequence[Point]


def points(
    document: Document, *designs: str, instrumented: bool = False, over: str = "", zipf: bool = True
) -> list[Point]:
    """Those of these designs (none: all) without a wrong run, by α, threads and failing: each design as its first run
    has it, but for the setting that they are ``over``; of ``zipf``'s law, or else of all other sources."""
    data, first = [], dict[str, Run]()
    for run in document["runs"]:
        first.setdefault(run["design"], run)
    for point in right_points(document["runs"], POINT, SHARED_BY_RUNS):
        if (point["alpha"] is not None) != zipf:
            continue
        if any(point[each] != first[point["design"]].get(each) for each in SETTINGS if each != over):
            continue
        own = tuple(run for run in point.runs if run["instrumented"] == instrumented)
        if own and (not designs or point["design"] in designs):
            data.append(replace(point, runs=own))
    return sorted(data, key=lambda point: (point["alpha"] or 0.0, point["threads"], point["failing"]))


def saturated(document: Document, *designs: str, over: str = "", zipf: bool = True) -> list[Point]:
    """Those where no read fails."""
    return [point for point in points(document, *designs, over=over, zipf=zipf) if point["failing"] == 0]


def by_threads(document: Document) -> list[Point]:
    """The same, by their threads."""
    return sorted(saturated(document), key=THREADS)


def skewed(data: Iterable[Point]) -> list[Point]:
    """The paper's first experiments are at α from 1.5 up."""
    return [point for point in data if point["alpha"] >= 1.5]


def pairs(data: Points, one: str, other: str) -> list[Point]:
    """Those of the first design, each with the other's beside it that has all else in common, the repeats, too."""

    def key(point: Point) -> tuple[float, ...]:
        return point["threads"], point["alpha"], point["failing"], len(point.runs)

    others = {key(point): point for point in data if point["design"] == other}
    return [
        replace(point, beside=others[key(point)]) for point in data if point["design"] == one and key(point) in others
    ]


def designs_of(drawn: Drawn) -> list[str]:
    """All designs of a document, so that each looks alike in its figures."""
    return values_of([*saturated(drawn.source), *saturated(drawn.source, zipf=False)], "design")


def updates(run: Run) -> float:
    return float(run["updates_per_second"])


def at(alpha: float) -> str:
    """A panel's or line's name."""
    return f"α {alpha:g}"


def at_alpha(point: Point) -> str:
    return at(point["alpha"])


def span(values: Sequence[float]) -> str:
    """From the least to the greatest: ``1.2 to 3.4``."""
    low, high = (f"{each:.2g}" if abs(each) < 100 else f"{each:.0f}" for each in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
