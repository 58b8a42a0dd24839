"""The points of a top-k bench: of each the runs of all repeats, where every one of them was right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from streambench.lab.figures.chart import Chart, Row
from streambench.lab.record.statistics import summary
from streambench.lab.record.topk_summary import POINT, SHARED_BY_RUNS

Run = Mapping[str, Any]


class TopkPoint(NamedTuple):
    """``runs`` by repeat, at least one."""

    design: str
    threads: int
    alpha: float
    failing: float
    instrumented: bool
    runs: tuple[Run, ...]

    def values(self, value: Callable[[Run], float]) -> list[float]:
        """Of each repeat."""
        return [value(run) for run in self.runs]

    def middle(self, value: Callable[[Run], float]) -> float:
        """The median of the repeats."""
        return median(self.values(value))


class TopkFigure(NamedTuple):
    """``name``: its number in the paper; ``needs``: what a document must hold for it, in words."""

    name: str
    needs: str
    chart: Callable[[Mapping[str, Any]], Chart | None]


def points(
    document: Mapping[str, Any],
    *designs: str,
    instrumented: bool = False,
    shown: Callable[[float], bool] = lambda alpha: True,
) -> list[TopkPoint]:
    """Those of these designs (none: all) without a wrong run at values of α that are ``shown``, by α, threads and
    failing."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in document["runs"]:
        if (not designs or run["design"] in designs) and shown(run["alpha"]):
            groups.setdefault(tuple(run[name] for name in POINT), []).append(run)
    found = []
    for key, runs in groups.items():
        own = sorted((run for run in runs if run["instrumented"] == instrumented), key=lambda run: int(run["repeat"]))
        if own and all(run["verified"] for run in runs):
            found.append(TopkPoint(key[0], key[1], key[2], key[3], instrumented, tuple(own)))
    return sorted(found, key=lambda point: (point.alpha, point.threads, point.failing))


def row(panel: str, line: str, x: float, point: TopkPoint, values: Sequence[float]) -> Row:
    """The chart's row of a point; ``values``: of its repeats."""
    found = summary(values)
    ends = (found.low, found.high) if found.coverage is not None else (None, None)
    named = {"y": found.median, "y_low": ends[0], "y_high": ends[1], "repeats": found.n}
    raw = {"values": tuple(values), "core_round_trips_ns": tuple(run["core_round_trip_ns"] for run in point.runs)}
    return {
        **{"panel": panel, "line": line, "x": x, **named, **raw},
        **{name: point.runs[0][name] for name in SHARED_BY_RUNS},
    }


def pairs(found: Sequence[TopkPoint], one: str, other: str) -> list[tuple[TopkPoint, TopkPoint]]:
    """Points of the two designs that have all else in common, the number of repeats, too."""
    others = {(each.threads, each.alpha, each.failing, len(each.runs)): each for each in found if each.design == other}
    return [
        (each, others[key])
        for each in found
        if each.design == one and (key := (each.threads, each.alpha, each.failing, len(each.runs))) in others
    ]


def at(alpha: float) -> str:
    """A panel's or line's name."""
    return f"α {alpha:g}"


def each_of(found: Sequence[TopkPoint], name: str) -> list[Any]:
    """The values of a field, in the order in which they come."""
    return list(dict.fromkeys(getattr(point, name) for point in found))


def span(values: Sequence[float], digits: int = 2) -> str:
    """From the least to the greatest: ``1.2 to 3.4``."""
    low, high = (f"{each:.{digits}g}" if abs(each) < 100 else f"{each:.0f}" for each in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
