"""Points: the runs of one configuration, of which every one was right, and their values by repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from streambench.lab.record.run import Plain as Run

Document = Mapping[str, Any]
Series = dict[int, float]
Measure = Callable[[Run], float | None]


@dataclass(frozen=True)
class Point:
    """One configuration and its runs, at least one.

    ``shown``: the fields of its runs that stand in a table of what is drawn. ``beside``: the point that it is compared
    with, such as the serial engine's.
    """

    runs: tuple[Run, ...]
    shown: tuple[str, ...] = ()
    beside: Point | None = None

    def __getitem__(self, name: str) -> Any:
        return self.runs[0].get(name)

    def facts(self) -> dict[str, Any]:
        """What was measured, by field."""
        return {name: self[name] for name in self.shown}

    def series(self, measure: Measure) -> Series:
        """The measure by repeat; empty where a run has no such value."""
        values = {run["repeat"]: measure(run) for run in self.runs}
        return (
            {} if None in values.values() else {repeat: value for repeat, value in values.items() if value is not None}
        )

    def middle(self, measure: Measure) -> float:
        """The median of the repeats."""
        return median(self.series(measure).values())

    def distances(self) -> dict[int, float | None]:
        """The cores' distance by repeat, nanoseconds; None where it was not measured."""
        return {run["repeat"]: run.get("core_round_trip_ns") for run in self.runs}


def right_points(
    runs: Iterable[Run], fields: Sequence[str], shown: Sequence[str], keep: Callable[[Run], bool] = lambda run: True
) -> list[Point]:
    """The runs that ``keep`` accepts, grouped by ``fields``, in their order; without groups that have a wrong run."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        if keep(run):
            groups.setdefault(tuple(run.get(name) for name in fields), []).append(run)
    return [
        Point(tuple(sorted(group, key=lambda run: int(run["repeat"]))), tuple(shown))
        for group in groups.values()
        if all(run["verified"] for run in group)
    ]


def values_of(points: Iterable[Point], name: str) -> list[Any]:
    """The values of a field, each once, in the order in which they come."""
    return list(dict.fromkeys(point[name] for point in points))


def divide(above: Series, below: Series) -> Series:
    """Ratios of the repeats that both have."""
    return {repeat: above[repeat] / below[repeat] for repeat in sorted(above.keys() & below.keys())}


def seconds(run: Run) -> float:
    """How long a run took."""
    return float(run["seconds"])


def times_as_fast(point: Point) -> Series:
    """How many times as long the point beside it takes, in the same repeats."""
    return divide(point.beside.series(seconds), point.series(seconds)) if point.beside else {}
