"""The measuring of a schedule: comparison after comparison, what is finished at once in the journal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution import resources
from streambench.execution.options import Options
from streambench.host.core_distance import round_trips
from streambench.host.ready_memory import forget_peak
from streambench.lab.measure.checked_run import Measurable, checked_run, configuration, one_lap, title
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.sweep.product import Comparison
from streambench.lab.measure.sweep.schedule import SPARE, Schedule, SweepPoint, fitted, sized, tuples_for
from streambench.lab.measure.sweep.time_left import TimeLeft
from streambench.lab.record.journal import Record
from streambench.lab.record.summary import verified
from streambench.lab.workloads.laps import within
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload

KIND = "sweep"
BETWEEN_RUNS = 0.02  # seconds to build a pipeline and to write its run down
REFINEMENTS = 3
NUMBERS = ("seconds", "throughput", "offered", "latency", "latency_operators", "latency_end_to_end", "steadiness")
"""What a wrong run has not."""


@dataclass(frozen=True)
class SweepBench(Bench):
    """The runs of a ``schedule``."""

    kind = KIND
    unit = "points"
    timed = True
    growing = ("repeats", "comparisons")

    schedule: Schedule

    @property
    def total(self) -> int:
        """All points."""
        return sum(1 for _ in self.schedule.points())

    def plain(self) -> dict[str, Any]:
        """The whole schedule."""
        return self.schedule.describe()

    def parameters(self, call: BenchCall, runs: Sequence[Record]) -> dict[str, Any]:
        """All but the comparisons, of which each run tells its own."""
        return {**self.schedule.settings(), "points": len(runs)}

    def runs(self, call: BenchCall) -> list[Record]:
        """Comparison after comparison."""
        return SweepRuns(self.schedule, call).measure()


class SweepRuns:
    """The runs of a schedule, those of earlier calls first."""

    def __init__(self, schedule: Schedule, call: BenchCall) -> None:
        self.schedule = schedule
        self._call, self._limit = call, call.limit
        self._begun = time.perf_counter()
        self._overhead = overhead()
        self._left = TimeLeft(schedule, [point for point in schedule.points() if not self._has(point)], self._overhead)

    def _has(self, point: SweepPoint) -> bool:
        return self._call.kept("run", self.schedule.key(point)) is not None

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in the schedule's order.

        Raises DataError for data that does not fit, StreambenchError where the journal cannot be written.
        """
        for number in range(len(self.schedule.comparisons)):
            points = [point for point in self.schedule.points_of(number) if not self._has(point)]
            if points and not self._limit.part_is_over:
                self._measure_comparison(number, points)
        kept = (self._call.kept("run", self.schedule.key(point)) for point in self.schedule.points())
        return [run for run in kept if run is not None]

    def _measure_comparison(self, number: int, points: Sequence[SweepPoint]) -> None:
        comparison = self.schedule.comparisons[number]
        seconds = self._seconds(number)
        forget_peak()  # that of other comparisons
        self._left.prepare(number, seconds)
        self._tell(f"{comparison.name}: preparing")
        workload, laps, answers = self._prepared(number, comparison, seconds)
        self._tell(f"{comparison.name}: the serial engine's sequence")
        configurations = [_at_rate(options, workload, seconds, laps) for options in comparison.configurations]
        references = {each.laps: _reference(workload, each.laps) for each in configurations}
        self._left.begin(number, [_arriving(options, workload) for options in configurations])
        for point in self._limit.while_there_is_time(points):
            options = configurations[point.configuration]
            self._tell(f"{comparison.name}: {title(options)}, repeat {point.repeat + 1}")
            began = time.perf_counter()
            answer = answers[point.configuration] if answers else None
            measure = partial(_run, workload, options, point.repeat, references[options.laps], answer)
            self._call.run(self.schedule.key(point), measure)
            self._left.took(point, time.perf_counter() - began)

    def _seconds(self, number: int) -> float:
        """What a run is to last: with a budget, what is left of it is shared out anew before each comparison."""
        if self.schedule.budget is None:
            return self.schedule.seconds
        left = SPARE * self.schedule.budget - (time.perf_counter() - self._begun)
        return fitted(self.schedule, self.schedule.comparisons[number:], left / self._left.scale, self._overhead)

    def _prepared(self, number: int, comparison: Comparison, seconds: float) -> tuple[Measurable, int, list[Record]]:
        """What is measured, for how many laps, and of each configuration whether it answers a lap rightly."""
        if not isinstance(comparison.workload, str):
            cores = self.schedule.cores
            tuples = self._length(number, lambda: (tuples_for(comparison, seconds, cores), None))
            return MicroWorkload(sized(comparison.workload, tuples)), 1, []
        workload = self._call.data.workload(comparison.workload)
        if isinstance(workload, Workload):
            workload.require_costs()
        answers = []
        for place, options in enumerate(comparison.configurations):
            self._tell(f"{comparison.name}: checking the answer of {title(options)}")
            key = self.schedule.answer_key(SweepPoint(number, 0, place))
            answers.append(self._call.step("answer", key, partial(_answer, workload, options)))
        return workload, self._length(number, lambda: self._laps(comparison, workload, seconds, answers)), answers

    def _length(self, number: int, choose: Callable[[], tuple[int, str | None]]) -> int:
        """The length of a comparison's stream, the same when the sweep is resumed; ``choose`` may warn, too."""

        def length() -> Record:
            chosen, warning = choose()
            return {"length": chosen, "warnings": [warning] if warning else []}

        return int(
            self._call.step(
                "length", self.schedule.workload_key(number), length, lambda record: list(record["warnings"])
            )["length"]
        )

    def _laps(
        self, comparison: Comparison, workload: Workload | OwnWorkload, seconds: float, answers: Sequence[Record]
    ) -> tuple[int, str | None]:
        """Laps with which parallel runs last ``seconds`` on the average, by what one lap has taken; no more than fit.

        With them a warning, where more would have been needed.
        """
        lasted = {
            place: answers[place]["seconds"]
            for place, options in enumerate(comparison.configurations)
            if options.engine != "serial" and answers[place]["right"]
        } or {0: answers[0]["seconds"] or seconds}
        mean = fmean(lasted.values())
        lap_count = within(seconds / mean)
        laps = min(lap_count, workload.room.laps)
        # One lap of little data is mostly the starting of threads: see what more of them take.
        typical = min(lasted, key=lambda place: abs(lasted[place] - mean))
        share = lasted[typical] / mean
        for _ in range(REFINEMENTS):
            if laps == 1:
                break
            self._tell(f"{comparison.name}: calibrating the length, {laps} laps")
            try:
                measured, _ = workload.run(Options.of(comparison.configurations[typical], laps=laps), keep=False)
            except StreambenchError:
                break
            short = share * seconds / max(measured.seconds, 1e-6)
            lap_count = within(laps * short)
            laps = min(lap_count, workload.room.laps)
            if short < 2:
                break
        return laps, workload.room.warning(comparison.name, lap_count)

    def _tell(self, doing: str) -> None:
        self._call.tell(doing, self._call.count("run"), self._left.seconds())


def overhead() -> float:
    """Seconds that go by between two runs: most of it is the measuring of the cores' distance."""
    began = time.perf_counter()
    for _ in ("before", "after"):
        round_trips()
    return BETWEEN_RUNS + time.perf_counter() - began


def _at_rate(options: Options, workload: Measurable, seconds: float, laps: int) -> Options:
    """With the laps that arrive in ``seconds``, where there is a rate and these are fewer."""
    if options.rate:
        laps = min(laps, within(options.rate * seconds / workload.rows))
    return Options.of(options, laps=laps)


def _arriving(options: Options, workload: Measurable) -> float:
    """Seconds for which the stream comes in at its rate; 0 without one."""
    return options.laps * workload.rows / options.rate if options.rate else 0.0


def _reference(workload: Measurable, laps: int) -> str | None:
    """The digest of the serial engine's sequence; None where it cannot be had: then each run is recorded with what is
    wrong with it."""
    try:
        if isinstance(workload, Workload) and laps > 1:
            workload.expected_by_lap(laps)  # kept for the checks
        return workload.serial_digest(laps)
    except StreambenchError:
        return None


def _answer(workload: Workload | OwnWorkload, options: Options) -> Record:
    """What one lap has taken as fast as possible, and whether its answer was right."""
    try:
        measured, right, problem = one_lap(workload, Options.of(options, rate=0.0))
    except Exception as error:
        return {"right": False, "seconds": None, "problem": _sentence(error)}
    return {"right": right, "seconds": measured.seconds, "problem": problem}


def _run(workload: Measurable, options: Options, repeat: int, reference: str | None, answer: Record | None) -> Record:
    """A run; without numbers if it was wrong. One configuration that fails must not cost the others their hours."""
    unknown: Record = dict.fromkeys(NUMBERS)
    try:
        run = checked_run(workload, options, repeat, reference, None if answer is None else answer["right"])
    except Exception as problem:
        return {
            **configuration(workload, options),
            "repeat": repeat,
            "tuples": workload.rows * options.laps,
            **unknown,
            "digest": None,
            "lap_counts": None,
            "lap_problem": None,
            "sequence_ok": False,
            "answer_ok": False,
            "profile": [],
            "choices": [],
            "core_round_trip_ns": None,
            "core_costs": None,
            "unpinned": [],
            **resources.unknown(),
            "problem": _sentence(problem),
        }
    if verified(run):
        return run
    why = None if answer is None else answer["problem"]
    if run["lap_problem"] is not None:
        why = run["lap_problem"]
    elif not run["sequence_ok"]:
        why = f"the output sequence has digest {run['digest']} instead of the serial engine's {reference}"
    return {**run, **unknown, "problem": why}


def _sentence(problem: Exception) -> str:
    kind = "" if isinstance(problem, StreambenchError) else f"{type(problem).__name__}: "
    return f"{kind}{problem}"
