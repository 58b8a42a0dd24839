"""What a result measured: values by run, of a quantity of which more is better or less is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Run = Mapping[str, Any]


class Point(NamedTuple):
    """What was run. ``settings``: what else tells it from others, by name."""

    what: str
    engine: str
    workers: int | None
    settings: tuple[tuple[str, Any], ...] = ()


class Quantity(NamedTuple):
    """``of``: its value in a run, None where the run has none."""

    name: str
    more_is_better: bool
    of: Callable[[Run], float | None]


class Metric(NamedTuple):
    """``values``: of the runs, all above 0; empty where a run was ``wrong``: such a point has no number."""

    point: Point
    name: str
    more_is_better: bool
    values: tuple[float, ...]
    runs: int
    wrong: int


def collected(
    runs: Iterable[Run],
    point: Callable[[Run], Point],
    right: Callable[[Run], bool],
    quantities: Sequence[Quantity],
) -> list[Metric]:
    """In the order of the runs; without the quantities that no run of a point has."""
    groups: dict[Point, list[Run]] = {}
    for run in runs:
        groups.setdefault(point(run), []).append(run)
    found = []
    for place, group in groups.items():
        wrong = sum(not right(run) for run in group)
        for name, more_is_better, of in quantities:
            known = [value for value in map(of, group) if value is not None and math.isfinite(value) and value > 0]
            if wrong or known:
                found.append(Metric(place, name, more_is_better, () if wrong else tuple(known), len(group), wrong))
    return found
