"""A simulated sweep: first what has to be measured, of each comparison, then all that follows from it.

What is compared within a repeat is fed with the same profiles: schemes differ by what they do, not by their profiles.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import Settled, settle
from streambench.host.ready_memory import forget_peak
from streambench.lab.data.catalog import Catalog
from streambench.lab.host import interrupts
from streambench.lab.measure.checked_run import checked_run, configuration, one_lap, title
from streambench.lab.measure.simulation.paper_costs import as_in_the_paper
from streambench.lab.measure.simulation.settings import PAPER, Settings
from streambench.lab.measure.sweep.measure import NUMBERS
from streambench.lab.measure.sweep.product import Comparison
from streambench.lab.measure.sweep.schedule import Point, sized
from streambench.lab.record.journal import Journal, Memory, Record
from streambench.lab.simulate.kept_profile import kept, restored
from streambench.lab.simulate.profile import Simulable
from streambench.lab.simulate.simulate import Once, once
from streambench.lab.simulate.times import Times, measure
from streambench.lab.simulate.without_work import WithoutWork
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload

SERIAL_LAPS = 20  # times those of a simulated run: one of the serial engine is over at once
OF_PROFILES = ("partitions", "credit", "partitioning", "partition_by", "unit", "fuse")
"""Options that change what one worker takes for a piece of work; heuristic and reordering scheme only say when."""

SIMULATED_NUMBERS = ("seconds", "throughput", "latency", "latency_operators")
OF_STAGES = ("operators", "seconds", "tuples_in", "tuples_out", "visits")

Report = Callable[[str, int, float | None], None]
"""Called before every step with what it is, the steps that are finished, and the seconds left, None at first."""


class Simulation:
    """The runs of ``settings``' schedule, those of earlier calls first.

    ``data``: what the queries read. ``own``: own pipelines by name.
    """

    def __init__(
        self,
        settings: Settings,
        data: Catalog | None,
        journal: Journal | Memory,
        *,
        report: Report | None = None,
        own: Mapping[str, OwnWorkload] | None = None,
    ) -> None:
        self.settings = settings
        self.runs: dict[Point, Record] = {}
        self.profiles: dict[str, Record] = {}
        self.times: Times | None = None
        self.report = report
        self._data, self._journal, self._own = data, journal, own or {}
        self._answers: dict[int, bool] = {}
        for record in journal.records:
            self._keep(record)
        self._taken: dict[str, list[float]] = {"measured": [], "simulated": []}
        points = list(settings.schedule.points())
        wanted = {self._profile_key(point) for point in points if not self._is_serial(point)}
        self._to_measure = len(wanted - self.profiles.keys()) + sum(
            self._is_serial(point) and point not in self.runs for point in points
        )
        self._to_simulate = sum(not self._is_serial(point) and point not in self.runs for point in points)
        self.steps = len(wanted) + len(points)

    @property
    def done(self) -> int:
        """The steps that are finished: profiles, the serial engine's runs and simulated ones."""
        return self.steps - self._to_measure - self._to_simulate

    def feed(self, profiles: Mapping[str, Record], times: Mapping[str, float], serial: Mapping[Point, Record]) -> None:
        """Take what another simulated sweep has measured. Raises StreambenchError where that is not enough."""
        for point in self.settings.schedule.points():
            if self._is_serial(point):
                if point not in serial:
                    raise self._not_there(point)
                if point not in self.runs:
                    self._add({"step": "run", **asdict(point), "run": dict(serial[point])})
                    self._to_measure -= 1
            elif self._profile_key(point) not in profiles:
                raise self._not_there(point)
            elif self._profile_key(point) not in self.profiles:
                key = self._profile_key(point)
                self._add({"step": "profile", "key": key, "profile": dict(profiles[key])})
                self._to_measure -= 1
        if self.times is None:
            self._add({"step": "times", "times": dict(times)})

    def simulate(self) -> list[Record]:
        """All runs in the schedule's order. Raises DataError for data that does not fit, StreambenchError where the
        journal cannot be written."""
        if self.times is None:
            self._tell("measuring what cores take to share")
            times = measure()
            self._add({"step": "times", "times": times.to_dict(), "warnings": times.warnings})
        numbers = range(len(self.settings.schedule.comparisons))
        for number in numbers:
            self._measure(number)
        for number in numbers:
            self._simulate(number)
        return [self.runs[point] for point in self.settings.schedule.points()]

    def _measure(self, number: int) -> None:
        """The profiles and the serial engine's runs of a comparison, repeat after repeat."""
        comparison = self.settings.schedule.comparisons[number]
        missing = [
            point
            for point in self.settings.schedule.points_of(number)
            if (point not in self.runs if self._is_serial(point) else self._profile_key(point) not in self.profiles)
        ]
        if not missing:
            return
        forget_peak()
        workload = self._measured_workload(comparison)
        serial = None
        for point in missing:
            options = self.settings.schedule.options(point)
            began = time.perf_counter()
            if self._is_serial(point):
                self._tell(f"{comparison.name}: serial, repeat {point.repeat + 1}")
                serial = serial or self._serial_laps(workload)
                run = self._serial_run(number, workload, Options.of(options, laps=serial), point.repeat)
                self._add({"step": "run", **asdict(point), "run": run})
            elif (key := self._profile_key(point)) not in self.profiles:
                self._tell(f"{comparison.name}: profile run for {options.workers} cores, repeat {point.repeat + 1}")
                settled = self._settled(comparison, options, workload)
                found = kept(workload, settled)
                told = {"query": workload.name, "repeat": point.repeat, "tuples": found.tuples, "pieces": found.pieces}
                told |= {name: getattr(settled, name) for name in OF_PROFILES}
                told |= {"seconds": found.seconds, "interrupted": found.interrupted, "samples": found.text()}
                self._add({"step": "profile", "key": key, "profile": told})
            else:
                continue
            self._to_measure -= 1
            self._taken["measured"].append(time.perf_counter() - began)

    def _simulate(self, number: int) -> None:
        points = [point for point in self.settings.schedule.points_of(number) if point not in self.runs]
        if not points:
            return
        comparison = self.settings.schedule.comparisons[number]
        workload = self._simulated_workload(comparison)
        answer = self._answer(number, workload)
        for point in points:
            options = self.settings.schedule.options(point)
            self._tell(f"{comparison.name}: {title(options)}, repeat {point.repeat + 1}, simulated")
            began = time.perf_counter()
            run = self._run(workload, comparison, point, answer)
            self._add({"step": "run", **asdict(point), "run": run})
            self._to_simulate -= 1
            self._taken["simulated"].append(time.perf_counter() - began)

    def _run(self, workload: Simulable, comparison: Comparison, point: Point, answer: bool) -> Record:
        """A simulated run as a result holds it; without numbers where it failed."""
        settled = self._settled(comparison, self.settings.schedule.options(point), workload)
        told = self.profiles[self._profile_key(point)]
        found = restored(told["samples"], told["tuples"], told["seconds"], told["interrupted"])
        if self.settings.costs == PAPER:
            found = as_in_the_paper(found, comparison.workload, _pipeline(workload, settled))
        seed = self.settings.seed + point.repeat
        assert self.times is not None, "they are measured first"
        run: Record = {
            **configuration(workload, settled),
            **dict.fromkeys(SIMULATED_NUMBERS),
            "simulated": True,
            "seed": seed,
            "fed_with": self._profile_key(point),
            "repeat": point.repeat,
            "tuples": workload.rows * settled.laps,
            "digest": None,
            "sequence_ok": False,
            "answer_ok": False,
            "profile": [],
            "core_round_trip_ns": None,
        }
        try:
            simulated = once(workload, settled, found.profile, self.settings.place, self.times, seed)
        except StreambenchError as problem:
            return {**run, "problem": str(problem)}
        if not answer:
            return {**run, "sequence_ok": True, "problem": "the serial engine's answer is not SQL's"}
        return {**run, **_numbers(simulated)}

    def _settled(self, comparison: Comparison, options: Options, workload: Simulable) -> Settled:
        micro = not isinstance(comparison.workload, str)
        laps = 1 if micro or isinstance(workload, OwnWorkload) else self._laps(workload)
        return settle(Options.of(options, laps=laps))

    def _laps(self, workload: Simulable) -> int:
        assert isinstance(workload, Workload)
        return min(self.settings.laps(workload.rows), workload.room.laps)

    def _serial_laps(self, workload: Simulable) -> int:
        if not isinstance(workload, Workload):
            return 1
        return min(SERIAL_LAPS * self._laps(workload), workload.room.laps)

    def _serial_run(self, number: int, workload: Simulable, options: Options, repeat: int) -> Record:
        """Measured, not simulated; as a sweep's."""
        micro = self.settings.schedule.comparisons[number].workload
        try:
            right = self._answer(number, workload)
            found = checked_run(workload, options, repeat, workload.serial_digest(options.laps), right)
        except StreambenchError as problem:
            found = {**configuration(workload, options), **dict.fromkeys(NUMBERS), "repeat": repeat, "profile": []}
            found |= {"digest": None, "sequence_ok": False, "answer_ok": False, "core_round_trip_ns": None}
            found |= {"tuples": workload.rows * options.laps, "problem": str(problem)}
        if not isinstance(micro, str):  # its stream is as long as it has to be: that of the simulated runs is told
            found["micro"] = sized(micro, self.settings.micro_tuples(self._comparison(number))).to_dict()
        return {**found, "simulated": False}

    def _answer(self, number: int, workload: Simulable) -> bool:
        """Whether the serial engine's answer to one lap is SQL's; of a parametric pipeline nobody else knows it."""
        if number not in self._answers:
            self._answers[number] = True
            if not isinstance(workload, MicroWorkload):
                self._tell(f"{workload.name}: checking the serial engine's answer")
                self._answers[number] = one_lap(workload, Options(engine="serial", preload=True))[1]
        return self._answers[number]

    def _comparison(self, number: int) -> Comparison:
        return self.settings.schedule.comparisons[number]

    def _measured_workload(self, comparison: Comparison) -> Simulable:
        if isinstance(comparison.workload, str):
            return self._named(comparison.workload)
        return MicroWorkload(sized(comparison.workload, self.settings.profiled_tuples(comparison)))

    def _simulated_workload(self, comparison: Comparison) -> Simulable:
        if isinstance(comparison.workload, str):
            return self._named(comparison.workload)
        return WithoutWork(sized(comparison.workload, self.settings.micro_tuples(comparison)))

    def _named(self, name: str) -> Workload | OwnWorkload:
        if name in self._own:
            return self._own[name]
        assert self._data is not None, "a query has data"
        return Workload(name, self._data, self.settings.schedule.parameter_set, preload=True)

    def _is_serial(self, point: Point) -> bool:
        return self.settings.schedule.options(point).engine == "serial"

    def _profile_key(self, point: Point) -> str:
        """What a profile is of, in a word that is the same in every call."""
        settled = settle(self.settings.schedule.options(point))
        name = self._comparison(point.comparison).name
        how = ", ".join(f"{each} {getattr(settled, each)}" for each in OF_PROFILES)
        return f"{name}; {how}; repeat {point.repeat}"

    def _not_there(self, point: Point) -> StreambenchError:
        name = self._comparison(point.comparison).name
        return StreambenchError(
            f"the result that --profiles names has not measured all of {name} that is to be simulated: choose what "
            "it has, with its --repeats, or leave --profiles out"
        )

    def _left(self) -> float | None:
        """Seconds, by what such steps have taken on the average so far."""
        found = 0.0
        for name, missing in (("measured", self._to_measure), ("simulated", self._to_simulate)):
            taken = self._taken[name]
            if missing and not taken:
                return None
            found += missing * sum(taken) / len(taken) if missing else 0.0
        return found

    def _tell(self, doing: str) -> None:
        if self.report is not None:
            self.report(doing, self.done, self._left())

    def _add(self, record: Record) -> None:
        with interrupts.held():
            self._journal.append(record)
            self._keep(record)

    def _keep(self, record: Record) -> None:
        if record["step"] == "run":
            self.runs[Point(record["comparison"], record["repeat"], record["configuration"])] = record["run"]
        elif record["step"] == "profile":
            self.profiles[record["key"]] = record["profile"]
        elif record["step"] == "times":
            self.times = Times(**record["times"])


def _pipeline(workload: Simulable, settled: Settled) -> Pipeline:
    if isinstance(workload, OwnWorkload):
        return workload.pipeline(keep=False)
    return workload.pipeline(settled, keep=False)


def _numbers(found: Once) -> dict[str, Any]:
    """What a right run has."""
    simulated = found.simulated
    return {
        "tuples": simulated.tuples,
        "seconds": simulated.seconds,
        "throughput": simulated.throughput,
        "latency": found.latency,
        "latency_operators": found.latency_operators,
        "digest": simulated.digest,
        "sequence_ok": True,
        "answer_ok": True,
        "profile": [{name: each[name] for name in OF_STAGES} for each in found.stages],
        "first": simulated.first,
        "taken": simulated.taken,
        "busy": simulated.busy,
        "waited": simulated.waited,
        "idle": simulated.idle,
        "events": simulated.events,
    }
