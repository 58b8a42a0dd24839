"""From runs to a row for each point: fields that the runs share, and medians, as a kind of result declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from streambench.lab.record.run import Plain, Row, Run
from streambench.lab.record.statistics import summary

Values = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True)
class Group:
    """The runs of a point. ``groups``: those of all points, by what tells these apart."""

    point: tuple[Any, ...]
    runs: Sequence[Run]
    groups: Mapping[tuple[Any, ...], Sequence[Run]]

    @property
    def wrong(self) -> int:
        """How many of them were wrong."""
        return sum(not run.verified for run in self.runs)


class Field(NamedTuple):
    """A field of a row. ``always``: also where a run of the point was wrong; else None stands there."""

    name: str
    of: Callable[[Group], Any]
    always: bool = False


@dataclass(frozen=True)
class PointSummary:
    """``point``: the fields of a run that tell points apart. ``described``: a row in words, where a run was wrong."""

    point: Sequence[str]
    fields: Sequence[Field]
    described: Callable[[Row], str] = str

    def rows(self, runs: Iterable[Plain]) -> list[Row]:
        """One row for each point, in the order of the first runs; without numbers where a run of it was wrong."""
        return [self.row(group) for group in grouped(runs, self.point)]

    def row(self, group: Group) -> Row:
        """The row of one point."""
        right = not group.wrong
        return {each.name: each.of(group) if right or each.always else None for each in self.fields}

    def wrong(self, rows: Iterable[Row]) -> list[str]:
        """The points of which a run was wrong, in words."""
        return [self.described(row) for row in rows if not row["verified"]]


def grouped(runs: Iterable[Plain], names: Sequence[str]) -> list[Group]:
    """The points, in the order of their first runs."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(run.get(name) for name in names), []).append(Run(run))
    return [Group(point, of_point, groups) for point, of_point in groups.items()]


def shared(*names: str, needed: bool = True) -> list[Field]:
    """What all runs of a point have alike; None where they lack what is not ``needed``."""

    def of(name: str) -> Callable[[Group], Any]:
        return lambda group: group.runs[0][name] if needed else group.runs[0].get(name)

    return [Field(name, of(name), always=True) for name in names]


def field(name: str, how: Values = median, of: str = "", only: Callable[[Run], bool] = lambda run: True) -> Field:
    """What the runs have as ``of``, or else by the field's name, taken together; None where none is ``only``."""

    def value(group: Group) -> Any:
        values = [run[of or name] for run in group.runs if only(run)]
        return how(values) if values else None

    return Field(name, value)


def interval(values: Sequence[float]) -> dict[str, Any]:
    """The median with its interval, as plain values."""
    return summary(values).plain()


def each_median(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each part; of "max" the greatest."""
    return {name: (max if name == "max" else median)(each[name] for each in values) for name in values[0]}


COUNTS = (
    Field("runs", lambda group: len(group.runs), always=True),
    Field("wrong", lambda group: group.wrong, always=True),
    Field("verified", lambda group: not group.wrong, always=True),
)
