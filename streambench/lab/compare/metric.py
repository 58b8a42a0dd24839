"""What a result measured: values by run, of a quantity of which more is better or less is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from streambench.lab.record.run import Plain as Run


class ComparedPoint(NamedTuple):
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
    """``values``: of the ``runs`` that have one above 0, of which alone there are ratios; empty where a run was
    ``wrong``: such a point has no number."""

    point: ComparedPoint
    name: str
    more_is_better: bool
    values: tuple[float, ...]
    runs: int
    wrong: int


def collected(
    runs: Iterable[Run],
    point: Callable[[Run], ComparedPoint],
    right: Callable[[Run], bool],
    quantities: Sequence[Quantity],
) -> list[Metric]:
    """In the order of the runs, without the quantities that no run of a point has; of a wrong point one at least."""
    groups: dict[ComparedPoint, list[Run]] = {}
    for run in runs:
        groups.setdefault(point(run), []).append(run)
    metrics = []
    for place, group in groups.items():
        wrong = sum(not right(run) for run in group)
        for number, (name, more_is_better, of) in enumerate(quantities):
            values = [value for value in map(of, group) if value is not None]
            if values or (wrong and not number):
                above = () if wrong else above_zero(values)
                metrics.append(Metric(place, name, more_is_better, above, len(group), wrong))
    return metrics


def above_zero(values: Iterable[float]) -> tuple[float, ...]:
    """Those that a ratio can be made of."""
    return tuple(value for value in values if math.isfinite(value) and value > 0)
