"""What a sweep measures, point by point, and how long that takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any

from streambench.checked_run import interleaved
from streambench.errors import OptionError
from streambench.limits import default_workers
from streambench.micro import MicroSpec
from streambench.options import Options
from streambench.sweep.product import Group, tuple_cost

FEWEST_TUPLES = 100
FEWEST_PER_WORKER = 4
FEWEST_UNITS = 20  # throughput is counted between markers, and those of one unit leave together
MOST_TUPLES = 100_000_000
SHORTEST = 0.02  # seconds; below this starting the threads would show
SPARE = 0.9  # of a budget: runs are not all as long as expected
STEPS = 20  # of a bisection: a millionth of the range
PREPARING = 1.0  # seconds to load a query's stream and to have SQL's answer: a guess, for estimates only


@dataclass(frozen=True, order=True)
class Point:
    """One run: numbers of its group, of its repeat, and of its configuration in the group."""

    group: int
    repeat: int
    configuration: int


@dataclass(frozen=True)
class Plan:
    """``repeats`` runs of every configuration of every group. Raises OptionError for what cannot be met.

    ``seconds``: what the runs of a group last, on the average over its ordered configurations. ``budget``: seconds
    that the whole may take; runs are made shorter for it, down to one lap of a query's stream. ``parameter_set``: of
    the queries. ``cores``: how many workers can run at once.
    """

    groups: tuple[Group, ...]
    repeats: int = 9
    seconds: float = 1.0
    budget: float | None = None
    parameter_set: str = "paper"
    cores: int = field(default_factory=lambda: default_workers())

    def __post_init__(self) -> None:
        if not self.groups:
            raise OptionError("there is nothing to measure: choose a --preset, --queries or --micro.")
        if self.repeats < 1:
            raise OptionError(f"--repeats must be at least 1, not {self.repeats}.")
        if not (math.isfinite(self.seconds) and SHORTEST <= self.seconds <= 3600):
            raise OptionError(f"--seconds must be from {SHORTEST} to 3600, not {self.seconds}.")
        if self.budget is not None and not (math.isfinite(self.budget) and self.budget > 0):
            raise OptionError(f"--budget must be a number of seconds above 0, not {self.budget}.")

    def points(self) -> Iterator[Point]:
        """Every run in the order of measurement: group after group, A B B A within each."""
        for number in range(len(self.groups)):
            yield from self.points_of(number)

    def points_of(self, number: int) -> Iterator[Point]:
        """The runs of one group in the order of measurement."""
        for repeat, place in interleaved(len(self.groups[number].configurations), self.repeats):
            yield Point(number, repeat, place)

    def options(self, point: Point) -> Options:
        """The configuration of a point."""
        return self.groups[point.group].configurations[point.configuration]

    def queries(self) -> list[str]:
        """The queries that are measured."""
        return [group.workload for group in self.groups if isinstance(group.workload, str)]

    def describe(self) -> dict[str, Any]:
        """The whole plan as plain values: two plans are the same if and only if these are equal."""
        groups = [
            {
                "workload": group.workload if isinstance(group.workload, str) else group.workload.to_dict(),
                "configurations": [asdict(options) for options in group.configurations],
            }
            for group in self.groups
        ]
        return {**self.settings(), "groups": groups}

    def settings(self) -> dict[str, Any]:
        """All but the groups, as plain values."""
        names = ("repeats", "seconds", "budget", "parameter_set")
        return {name: getattr(self, name) for name in names}


def tuples_for(group: Group, seconds: float, cores: int) -> int:
    """The length of a parametric pipeline's stream: ordered runs last ``seconds`` on a typical number of workers."""
    assert isinstance(group.workload, MicroSpec)
    ordered = [parallel(options, cores) for options in group.configurations if options.engine != "serial"] or [1]
    wanted = round(seconds * median(ordered) / max(tuple_cost(group.workload), 1e-9))
    units = FEWEST_UNITS * max(options.resolved_unit() for options in group.configurations)
    return min(MOST_TUPLES, max(FEWEST_TUPLES, FEWEST_PER_WORKER * max(ordered), units, wanted))


def parallel(options: Options, cores: int) -> int:
    """Workers of a configuration that can run at once."""
    return min(options.resolved_workers(), cores)


def run_seconds(group: Group, seconds: float, cores: int) -> list[float]:
    """What a run of each configuration is expected to last, where runs of the group are to last ``seconds``."""
    if isinstance(group.workload, str):
        return [seconds] * len(group.configurations)
    work = tuples_for(group, seconds, cores) * tuple_cost(group.workload)
    return [work / parallel(options, cores) for options in group.configurations]


def preparing_seconds(group: Group, seconds: float, cores: int) -> float:
    """What goes before a group's first run: loading and one checked lap of each, or the serial engine's sequence."""
    runs = run_seconds(group, seconds, cores)
    return PREPARING + sum(runs) if isinstance(group.workload, str) else max(runs)


def plan_seconds(plan: Plan, groups: Sequence[Group], seconds: float, overhead: float) -> float:
    """What some of a plan's groups are expected to take; ``overhead``: seconds that go by between two runs."""
    return sum(
        preparing_seconds(group, seconds, plan.cores)
        + plan.repeats * sum(each + overhead for each in run_seconds(group, seconds, plan.cores))
        for group in groups
    )


def fitted(plan: Plan, groups: Sequence[Group], left: float, overhead: float) -> float:
    """The seconds per run, at most the plan's, with which ``groups`` are done in ``left`` seconds if that can be."""
    low, high = SHORTEST, plan.seconds
    if plan_seconds(plan, groups, high, overhead) <= left:
        return high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if plan_seconds(plan, groups, middle, overhead) <= left else (low, middle)
    return low


def expected_seconds(plan: Plan, overhead: float) -> float:
    """What the whole plan is expected to take."""
    seconds = plan.seconds
    if plan.budget is not None:
        seconds = fitted(plan, plan.groups, SPARE * plan.budget, overhead)
    return plan_seconds(plan, plan.groups, seconds, overhead)


def sized(spec: MicroSpec, tuples: int) -> MicroSpec:
    """The same pipeline over a stream of that many tuples."""
    return replace(spec, tuples=tuples)
