"""What a sweep measures, point by point, and how long that takes."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.host.limits import default_workers
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.measure.sweep.product import Comparison, tuple_cost
from streambench.lab.workloads.micro import MicroSpec
from streambench.lab.workloads.pipeline_function import is_own

FEWEST_TUPLES = 100
FEWEST_PER_WORKER = 4
FEWEST_UNITS = 20  # throughput is counted between markers, and those of one unit leave together
MOST_TUPLES = 100_000_000
SHORTEST = 0.02  # seconds; below this starting the threads would show
SPARE = 0.9  # of a budget: runs are not all as long as expected
STEPS = 20  # of a bisection: a millionth of the range
PREPARING = 1.0  # seconds to load a query's stream and to have SQL's answer: a guess, for estimates only


@dataclass(frozen=True, order=True)
class SweepPoint:
    """One run: numbers of its comparison, of its repeat, and of its configuration in the comparison."""

    comparison: int
    repeat: int
    configuration: int


@dataclass(frozen=True)
class Schedule:
    """``repeats`` runs of every configuration of every comparison. Raises OptionError for what cannot be met.

    ``seconds``: what the runs of a comparison last, on the average over its parallel configurations. ``budget``:
    seconds that the whole may take; runs are made shorter for it, down to one lap of a query's stream.
    ``parameter_set``: of the queries. ``cores``: how many workers can run at once.
    """

    comparisons: tuple[Comparison, ...]
    repeats: int = 9
    seconds: float = 1.0
    budget: float | None = None
    parameter_set: str = "paper"
    cores: int = field(default_factory=lambda: default_workers())

    def __post_init__(self) -> None:
        if not self.comparisons:
            raise OptionError("there is nothing to measure: choose a `preset`, `queries` or `micro`.")
        require_repeats(self.repeats)
        if not (math.isfinite(self.seconds) and SHORTEST <= self.seconds <= 3600):
            raise OptionError(f"`seconds` must be from {SHORTEST} to 3600, not {self.seconds}.")
        if self.budget is not None and not (math.isfinite(self.budget) and self.budget > 0):
            raise OptionError(f"`budget` must be a number of seconds above 0, not {self.budget}.")

    def points(self) -> Iterator[SweepPoint]:
        """Every run in the order of measurement: comparison after comparison, A B B A within each."""
        for number in range(len(self.comparisons)):
            yield from self.points_of(number)

    def points_of(self, number: int) -> Iterator[SweepPoint]:
        """The runs of one comparison in the order of measurement."""
        for repeat, place in interleaved(len(self.comparisons[number].configurations), self.repeats):
            yield SweepPoint(number, repeat, place)

    def options(self, point: SweepPoint) -> Options:
        """The configuration of a point."""
        return self.comparisons[point.comparison].configurations[point.configuration]

    def workload_key(self, number: int) -> str:
        """Of a comparison's workload, in a journal: the same whatever else is measured."""
        workload = self.comparisons[number].workload
        return workload if isinstance(workload, str) else _digest(workload.to_dict())

    def answer_key(self, point: SweepPoint) -> str:
        """Of a point's workload and configuration."""
        return f"{self.workload_key(point.comparison)} {_digest(asdict(self.options(point)))}"

    def key(self, point: SweepPoint) -> str:
        """Of a run."""
        return f"{self.answer_key(point)} {point.repeat}"

    def queries(self) -> list[str]:
        """The queries that are measured."""
        return [name for name in self.named() if not is_own(name)]

    def own(self) -> list[str]:
        """The own pipelines that are measured, each ``module:function``."""
        return [name for name in self.named() if is_own(name)]

    def named(self) -> list[str]:
        """The queries, each with what its operators cost besides, and own pipelines."""
        return [each.workload for each in self.comparisons if isinstance(each.workload, str)]

    def describe(self) -> dict[str, Any]:
        """The whole schedule as plain values: two are the same if and only if these are equal."""
        comparisons = [
            {
                "workload": each.workload if isinstance(each.workload, str) else each.workload.to_dict(),
                "configurations": [asdict(options) for options in each.configurations],
            }
            for each in self.comparisons
        ]
        return {**self.settings(), "comparisons": comparisons}

    def settings(self) -> dict[str, Any]:
        """All but the comparisons, as plain values."""
        names = ("repeats", "seconds", "budget", "parameter_set")
        return {name: getattr(self, name) for name in names}


def _digest(values: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def tuples_for(comparison: Comparison, seconds: float, cores: int) -> int:
    """The length of a parametric pipeline's stream: parallel runs last ``seconds`` on a typical number of workers."""
    assert isinstance(comparison.workload, MicroSpec)
    workers = [parallel(options, cores) for options in comparison.configurations if options.engine != "serial"] or [1]
    tuples = round(seconds * median(workers) / max(tuple_cost(comparison.workload), 1e-9))
    units = FEWEST_UNITS * max(settle(options).unit or 0 for options in comparison.configurations)
    return min(MOST_TUPLES, max(FEWEST_TUPLES, FEWEST_PER_WORKER * max(workers), units, tuples))


def parallel(options: Options, cores: int) -> int:
    """Workers of a configuration that can run at once."""
    return min(settle(options).workers, cores)


def run_seconds(comparison: Comparison, seconds: float, cores: int) -> list[float]:
    """What a run of each configuration is expected to last, where runs of the comparison are to last ``seconds``."""
    if isinstance(comparison.workload, str):
        return [seconds] * len(comparison.configurations)
    work = tuples_for(comparison, seconds, cores) * tuple_cost(comparison.workload)
    return [work / parallel(options, cores) for options in comparison.configurations]


def preparing_seconds(comparison: Comparison, seconds: float, cores: int) -> float:
    """What goes before the first run: loading and one checked lap of each, or the serial engine's sequence."""
    runs = run_seconds(comparison, seconds, cores)
    return PREPARING + sum(runs) if isinstance(comparison.workload, str) else max(runs)


def schedule_seconds(schedule: Schedule, comparisons: Sequence[Comparison], seconds: float, overhead: float) -> float:
    """What some of a schedule's comparisons are expected to take; ``overhead``: seconds that go by between two runs."""
    return sum(
        preparing_seconds(comparison, seconds, schedule.cores)
        + schedule.repeats * sum(each + overhead for each in run_seconds(comparison, seconds, schedule.cores))
        for comparison in comparisons
    )


def fitted(schedule: Schedule, comparisons: Sequence[Comparison], left: float, overhead: float) -> float:
    """The seconds per run, at most the schedule's, with which ``comparisons`` are done in ``left`` if that can be."""
    low, high = SHORTEST, schedule.seconds
    if schedule_seconds(schedule, comparisons, high, overhead) <= left:
        return high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if schedule_seconds(schedule, comparisons, middle, overhead) <= left else (low, middle)
        )
    return low


def expected_seconds(schedule: Schedule, overhead: float) -> float:
    """What the whole schedule is expected to take."""
    seconds = schedule.seconds
    if schedule.budget is not None:
        seconds = fitted(schedule, schedule.comparisons, SPARE * schedule.budget, overhead)
    return schedule_seconds(schedule, schedule.comparisons, seconds, overhead)


def sized(spec: MicroSpec, tuples: int) -> MicroSpec:
    """The same pipeline over a stream of that many tuples."""
    return replace(spec, tuples=tuples)
