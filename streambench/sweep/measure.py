"""The measuring of a plan: group after group, what is finished at once in the journal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from statistics import fmean

from streambench import interrupts
from streambench.catalog import Catalog
from streambench.checked_run import Measurable, checked_run, configuration, one_lap, title
from streambench.core_distance import round_trips
from streambench.errors import StreambenchError
from streambench.journal import Journal, Record
from streambench.laps import within
from streambench.micro import MicroWorkload
from streambench.options import Options
from streambench.ready_memory import forget_peak
from streambench.summary import verified
from streambench.sweep.plan import SPARE, Plan, Point, fitted, sized, tuples_for
from streambench.sweep.product import Group
from streambench.sweep.time_left import TimeLeft
from streambench.workload import Workload

BETWEEN_RUNS = 0.02  # seconds to build a pipeline and to write its run down
REFINEMENTS = 3

Report = Callable[[str, int, float], None]
"""Called before every step with what it is, the points that are finished, and the seconds that are left."""


class Sweep:
    """The runs of a plan, those of earlier calls first. ``data``: what the plan's queries read."""

    def __init__(self, plan: Plan, data: Catalog | None, journal: Journal, report: Report | None = None) -> None:
        self.plan = plan
        self.data = data
        self.runs: dict[Point, Record] = {}
        self._journal = journal
        self._report = report
        self._answers: dict[tuple[int, int], Record] = {}
        self._lengths: dict[int, int] = {}
        for record in journal.records:
            self._keep(record)
        self._begun = time.perf_counter()
        self._overhead = overhead()
        self._left = TimeLeft(plan, [point for point in plan.points() if point not in self.runs], self._overhead)

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in the plan's order.

        Raises DataError for data that does not fit, StreambenchError where the journal cannot be written.
        """
        for number in range(len(self.plan.groups)):
            points = [point for point in self.plan.points_of(number) if point not in self.runs]
            if points:
                self._measure_group(number, points)
        return [self.runs[point] for point in self.plan.points()]

    def _measure_group(self, number: int, points: Sequence[Point]) -> None:
        group = self.plan.groups[number]
        seconds = self._seconds(number)
        forget_peak()  # that of other groups
        self._left.prepare(number, seconds)
        self._tell(f"{group.name}: preparing")
        workload, laps = self._workload(number, group, seconds)
        self._tell(f"{group.name}: the serial engine's sequence")
        try:
            if isinstance(workload, Workload) and laps > 1:
                workload.expected_by_lap(laps)  # kept for the checks
            reference = workload.serial_digest(laps)
        except StreambenchError:
            reference = None  # then no run is right; each is recorded with what is wrong with it
        self._left.begin(number)
        for point in points:
            options = Options.of(self.plan.options(point), laps=laps)
            self._tell(f"{group.name}: {title(options)}, repeat {point.repeat + 1}")
            began = time.perf_counter()
            answer = self._answers.get((number, point.configuration))
            run = _run(workload, options, point.repeat, reference, answer)
            self._add({"step": "run", **asdict(point), "run": run})
            self._left.took(point, time.perf_counter() - began)

    def _seconds(self, number: int) -> float:
        """What a run is to last: with a budget, what is left of it is shared out anew before each group."""
        if self.plan.budget is None:
            return self.plan.seconds
        left = SPARE * self.plan.budget - (time.perf_counter() - self._begun)
        return fitted(self.plan, self.plan.groups[number:], left / self._left.scale, self._overhead)

    def _workload(self, number: int, group: Group, seconds: float) -> tuple[Measurable, int]:
        """What is measured, and for how many laps."""
        if not isinstance(group.workload, str):
            tuples = self._length(number, lambda: (tuples_for(group, seconds, self.plan.cores), None))
            return MicroWorkload(sized(group.workload, tuples)), 1
        assert self.data is not None
        workload = Workload(group.workload, self.data, self.plan.parameter_set, preload=True)
        for place, options in enumerate(group.configurations):
            if (number, place) not in self._answers:
                self._tell(f"{group.name}: checking the answer of {title(options)}")
                self._add({"step": "answer", "group": number, "configuration": place, **_answer(workload, options)})
        return workload, self._length(number, lambda: self._laps(number, group, workload, seconds))

    def _length(self, number: int, choose: Callable[[], tuple[int, str | None]]) -> int:
        """The length of a group's stream, the same when the sweep is resumed; ``choose`` may give a warning with it."""
        if number not in self._lengths:
            length, warning = choose()
            self._add({"step": "length", "group": number, "length": length, "warnings": [warning] if warning else []})
        return self._lengths[number]

    def _laps(self, number: int, group: Group, workload: Workload, seconds: float) -> tuple[int, str | None]:
        """Laps with which ordered runs last ``seconds`` on the average, by what one lap has taken; no more than fit.

        With them a warning, where more would have been needed.
        """
        lasted = {
            place: self._answers[number, place]["seconds"]
            for place, options in enumerate(group.configurations)
            if options.engine != "serial" and self._answers[number, place]["right"]
        } or {0: self._answers[number, 0]["seconds"] or seconds}
        mean = fmean(lasted.values())
        wanted = within(seconds / mean)
        laps = min(wanted, workload.room.laps)
        # One lap of little data is mostly the starting of threads: see what more of them take.
        typical = min(lasted, key=lambda place: abs(lasted[place] - mean))
        share = lasted[typical] / mean
        for _ in range(REFINEMENTS):
            if laps == 1:
                break
            self._tell(f"{group.name}: calibrating the length, {laps} laps")
            try:
                measured, _ = workload.run(Options.of(group.configurations[typical], laps=laps), keep=False)
            except StreambenchError:
                break
            short = share * seconds / max(measured.seconds, 1e-6)
            wanted = within(laps * short)
            laps = min(wanted, workload.room.laps)
            if short < 2:
                break
        return laps, workload.room.warning(group.name, wanted)

    def _add(self, record: Record) -> None:
        with interrupts.held():  # what is on disk is kept: a message that counts must not say otherwise
            self._journal.append(record)
            self._keep(record)

    def _keep(self, record: Record) -> None:
        if record["step"] == "run":
            self.runs[Point(record["group"], record["repeat"], record["configuration"])] = record["run"]
        elif record["step"] == "answer":
            self._answers[record["group"], record["configuration"]] = record
        elif record["step"] == "length":
            self._lengths[record["group"]] = record["length"]

    def _tell(self, doing: str) -> None:
        if self._report is not None:
            self._report(doing, len(self.runs), self._left.seconds())


def overhead() -> float:
    """Seconds that go by between two runs: most of it is the measuring of the cores' distance."""
    began = time.perf_counter()
    round_trips()
    return BETWEEN_RUNS + time.perf_counter() - began


def _answer(workload: Workload, options: Options) -> Record:
    """What one lap has taken, and whether its answer was right."""
    try:
        measured, right = one_lap(workload, options)
    except Exception as problem:
        return {"right": False, "seconds": None, "problem": _sentence(problem)}
    return {"right": right, "seconds": measured.seconds, "problem": None if right else "the answer differs from SQL's"}


def _run(workload: Measurable, options: Options, repeat: int, reference: str | None, answer: Record | None) -> Record:
    """A run; without numbers if it was wrong. One configuration that fails must not cost the others their hours."""
    unknown: Record = dict.fromkeys(("seconds", "throughput", "latency", "latency_operators"))
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
            "problem": _sentence(problem),
        }
    if verified(run):
        return run
    told = None if answer is None else answer["problem"]
    if run["lap_problem"] is not None:
        told = run["lap_problem"]
    elif not run["sequence_ok"]:
        told = f"the output sequence has digest {run['digest']} instead of the serial engine's {reference}"
    return {**run, **unknown, "problem": told}


def _sentence(problem: Exception) -> str:
    kind = "" if isinstance(problem, StreambenchError) else f"{type(problem).__name__}: "
    return f"{kind}{problem}"
