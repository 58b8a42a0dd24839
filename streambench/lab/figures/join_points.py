"""The points of a join bench: of each the runs of all repeats, where every one of them was right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from streambench.lab.figures.chart import Row
from streambench.lab.record.join_summary import POINT
from streambench.lab.record.statistics import summary

Run = Mapping[str, Any]
SHOWN = ("join", "tier", "threads", "window_seconds", "window_tuples", "rate", "sources", "readers")


class JoinPoint(NamedTuple):
    """``runs`` by repeat, at least one."""

    measure: str
    join: str
    tier: str
    threads: int
    window: float
    runs: tuple[Run, ...]

    def values(self, value: Callable[[Run], float | None]) -> list[float | None]:
        """Of each repeat."""
        return [value(run) for run in self.runs]


def points(document: Mapping[str, Any], measure: str) -> list[JoinPoint]:
    """The points of a measure without a wrong run, in the order of the document."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in document["runs"]:
        if run["measure"] == measure:
            groups.setdefault(tuple(run.get(name) for name in (*POINT, "sources", "readers")), []).append(run)
    return [
        JoinPoint(key[0], key[1], key[2], key[3], key[4], tuple(sorted(runs, key=lambda run: int(run["repeat"]))))
        for key, runs in groups.items()
        if all(run["verified"] for run in runs)
    ]


def row(panel: str, line: str, x: float, point: JoinPoint, value: Callable[[Run], float | None]) -> list[Row]:
    """The chart's row of a point; none where a run has no such value."""
    values = point.values(value)
    known = [each for each in values if each is not None]
    if len(known) < len(values):
        return []
    found = summary(known)
    ends = (found.low, found.high) if found.coverage is not None else (None, None)
    named = {"y": found.median, "y_low": ends[0], "y_high": ends[1], "repeats": found.n}
    raw = {"values": tuple(values), "core_round_trips_ns": tuple(run["core_round_trip_ns"] for run in point.runs)}
    return [{"panel": panel, "line": line, "x": x, **named, **raw, **{name: point.runs[0].get(name) for name in SHOWN}}]


def ideal(panel: str, line: str, x: float, y: float) -> Row:
    """A row that follows from a definition."""
    blank = dict.fromkeys(("y_low", "y_high", "repeats", "values", "core_round_trips_ns", *SHOWN))
    return {"panel": panel, "line": line, "x": x, "y": y, **blank}


def each_of(found: Sequence[JoinPoint], name: str) -> list[Any]:
    """The values of a field, in the order in which they come."""
    return list(dict.fromkeys(getattr(point, name) for point in found))
