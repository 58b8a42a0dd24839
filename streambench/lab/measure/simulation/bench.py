"""A simulated sweep: first what has to be measured, of each comparison, then all that follows from it.

What is compared within a repeat is fed with the same profiles: schemes differ by what they do, not by their profiles.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from statistics import fmean
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution.options import MOST_LAPS, Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import Settled, settle
from streambench.host.ready_memory import forget_peak
from streambench.lab.measure.checked_run import checked_run, configuration, one_lap, title
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.simulation.from_result import TIMES_KEY, feed
from streambench.lab.measure.simulation.paper_costs import as_in_the_paper
from streambench.lab.measure.simulation.settings import OF_PROFILES, PAPER, SimulatedSchedule
from streambench.lab.measure.sweep.bench import NUMBERS
from streambench.lab.measure.sweep.product import Comparison
from streambench.lab.measure.sweep.schedule import SweepPoint, sized
from streambench.lab.record.journal import Record
from streambench.lab.record.simulation_summary import KIND, LEAST_WINDOWS
from streambench.lab.simulate.kept_profile import kept, restored
from streambench.lab.simulate.profile import Simulable
from streambench.lab.simulate.simulate import WholeSimulatedRun, once
from streambench.lab.simulate.times import Times, measure
from streambench.lab.workloads.laps import within
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload

SERIAL_LAPS = 20  # times those of a simulated run, at first: one of the serial engine is over at once
REFINEMENTS = 4  # of how many laps last long enough
SPARE = 1.25  # so that no repeat, each with a profile and a seed of its own, is too short
SIMULATED_NUMBERS = ("seconds", "throughput", "latency", "latency_operators")
OF_STAGES = ("operators", "seconds", "tuples_in", "tuples_out", "visits")

Loaded = Callable[[], Simulable]
"""Gives a workload, loaded when it is first asked for."""


@dataclass(frozen=True)
class SimulationBench(Bench):
    """The runs of a ``simulated`` schedule on simulated cores.

    ``fed``: the document of another simulated sweep with its profiles' samples, so that nothing is measured;
    ``fed_from``: its file's name.
    """

    kind = KIND
    counted = ("run", "profile")
    unit = "steps"
    timed = True

    simulated: SimulatedSchedule
    fed: Mapping[str, Any] | None = None
    fed_from: str | None = None

    @property
    def profile_keys(self) -> set[str]:
        """Of all profiles that feed runs."""
        points = self.simulated.schedule.points()
        return {self.simulated.profile_key(point) for point in points if not self.simulated.is_serial(point)}

    @property
    def total(self) -> int:
        """Profiles, the serial engine's runs and simulated ones."""
        return len(self.profile_keys) + sum(1 for _ in self.simulated.schedule.points())

    def plain(self) -> dict[str, Any]:
        """The schedule, the simulated machine, and what it is fed with."""
        keys = None if self.fed is None else [each["key"] for each in self.fed["parameters"]["profiles"]]
        return {**self.simulated.describe(), "fed": [None if self.fed is None else self.fed["created"], keys]}

    def parameters(self, call: BenchCall, runs: Sequence[Record]) -> dict[str, Any]:
        """With the machine's times, and all profiles with their samples."""
        profiles = [{"key": key, **each} for key, each in sorted(call.of_step("profile").items())]
        about = {"times_ns": call.kept("times", TIMES_KEY), "points": len(runs), "profiles_from": self.fed_from}
        return {**self.simulated.plain(), **about, "profiles": profiles}

    def runs(self, call: BenchCall) -> list[Record]:
        """First what has to be measured, of each comparison, then all that follows from it."""
        if self.fed is not None:
            feed(call, self.simulated, self.fed)
        return SimulationRuns(self, call).measure()


class SimulationRuns:
    """The runs of a simulated sweep, those of earlier calls first."""

    def __init__(self, bench: SimulationBench, call: BenchCall) -> None:
        self._simulated, self._call = bench.simulated, call
        self._schedule = bench.simulated.schedule
        missing = [
            point for point in self._schedule.points() if call.kept("run", bench.simulated.schedule.key(point)) is None
        ]
        serial = sum(map(self._simulated.is_serial, missing))
        profiles = len(bench.profile_keys - call.of_step("profile").keys())
        self._missing = {"measured": profiles + serial, "simulated": len(missing) - serial}
        self._total = bench.total
        self._seconds: dict[str, list[float]] = {"measured": [], "simulated": []}

    def measure(self) -> list[Record]:
        """All runs in the schedule's order. Raises DataError for data that does not fit, StreambenchError where the
        journal cannot be written."""
        if self._call.kept("times", TIMES_KEY) is None:
            self._tell("measuring what cores take to share")
        times = self._call.step(
            "times", TIMES_KEY, lambda: dict(measure().to_dict()), lambda record: Times(**record).warnings
        )
        for number in range(len(self._schedule.comparisons)):
            self._measure(number)
        for number in range(len(self._schedule.comparisons)):
            self._simulate(number, Times(**times))
        return [self._call.kept("run", self._schedule.key(point)) or {} for point in self._schedule.points()]

    def _step(self, way: str, step: str, key: str, doing: str, measure: Callable[[], Record]) -> None:
        """Do what is not kept, and note how long it took."""
        if self._call.kept(step, key) is None:
            self._tell(doing)
            began = time.perf_counter()
            self._call.step(step, key, measure)
            self._missing[way] -= 1
            self._seconds[way].append(time.perf_counter() - began)

    def _measure(self, number: int) -> None:
        """The profiles and the serial engine's runs of a comparison, repeat after repeat."""
        comparison = self._schedule.comparisons[number]
        loaded = cache(partial(self._measured_workload, comparison))
        for point in self._schedule.points_of(number):
            options, repeat = self._schedule.options(point), point.repeat
            if self._simulated.is_serial(point):
                serial = partial(self._serial_run, number, loaded, options, repeat)
                self._step(
                    "measured",
                    "run",
                    self._schedule.key(point),
                    f"{comparison.name}: serial, repeat {repeat + 1}",
                    serial,
                )
                continue
            doing = f"{comparison.name}: profile run for {options.workers} cores, repeat {repeat + 1}"
            profile = partial(self._profile, loaded, point)
            self._step("measured", "profile", self._simulated.profile_key(point), doing, profile)

    def _profile(self, loaded: Loaded, point: SweepPoint) -> Record:
        workload = loaded()
        settled = self._settled(point, workload)
        profile = kept(workload, settled)
        return {
            **{"query": workload.name, "repeat": point.repeat, "tuples": profile.tuples, "pieces": profile.pieces},
            **{name: getattr(settled, name) for name in OF_PROFILES},
            **{"seconds": profile.seconds, "interrupted": profile.interrupted, "samples": profile.text()},
        }

    def _simulate(self, number: int, times: Times) -> None:
        comparison = self._schedule.comparisons[number]
        loaded = cache(partial(self._simulated_workload, comparison))
        for point in self._schedule.points_of(number):
            doing = f"{comparison.name}: {title(self._schedule.options(point))}, repeat {point.repeat + 1}, simulated"
            self._step("simulated", "run", self._schedule.key(point), doing, partial(self._run, loaded, point, times))

    def _run(self, loaded: Loaded, point: SweepPoint, times: Times) -> Record:
        """A simulated run as a result holds it; without numbers where it failed."""
        workload = loaded()
        answer = self._answer(point.comparison, workload)
        settled = self._settled(point, workload)
        problem: str | None = None
        simulated: WholeSimulatedRun | None = None
        try:
            settled = replace(settled, laps=self._length(point, workload, settled, times))
            simulated = self._once(point, workload, settled, times)
        except StreambenchError as failure:
            problem = str(failure)
        run: Record = {
            **configuration(workload, settled),
            **dict.fromkeys(SIMULATED_NUMBERS),
            "simulated": True,
            "seed": self._seed(point),
            "fed_with": self._simulated.profile_key(point),
            "repeat": point.repeat,
            "tuples": workload.rows * settled.laps,
            "digest": None,
            "sequence_ok": False,
            "answer_ok": False,
            "profile": [],
            "core_round_trip_ns": None,
        }
        if simulated is None:
            return {**run, "problem": problem}
        if not answer:
            return {**run, "sequence_ok": True, "problem": "the serial engine's answer is not SQL's"}
        return {**run, **_numbers(simulated)}

    def _once(self, point: SweepPoint, workload: Simulable, settled: Settled, times: Times) -> WholeSimulatedRun:
        comparison = self._schedule.comparisons[point.comparison]
        record = self._call.kept("profile", self._simulated.profile_key(point)) or {}
        profile = restored(record["samples"], record["tuples"], record["seconds"], record["interrupted"])
        if self._simulated.costs == PAPER:
            profile = as_in_the_paper(profile, comparison.workload, _pipeline(workload, settled))
        return once(workload, settled, profile.profile, self._simulated.place, times, self._seed(point))

    def _length(self, point: SweepPoint, workload: Simulable, settled: Settled, times: Times) -> int:
        """The laps of a configuration in all repeats: where no tuples were named, the first one lasts long enough with
        them, or all that fit are taken."""
        if self._simulated.tuples is not None or isinstance(workload, OwnWorkload):
            return settled.laps
        most = workload.room.laps if isinstance(workload, Workload) else MOST_LAPS
        first = SweepPoint(point.comparison, 0, point.configuration)

        def length() -> Record:
            laps = settled.laps
            for _ in range(REFINEMENTS):
                self._tell(f"{workload.name}: {title(settled)}, how long {laps} laps last, simulated")
                lasted = self._once(first, workload, replace(settled, laps=laps), times).simulated.seconds
                short = SPARE * LEAST_WINDOWS * settled.window / lasted
                if short <= 1 or laps >= most:
                    break
                laps = min(most, within(math.ceil(laps * short)))
            return {"length": laps}

        return int(self._call.step("length", self._schedule.answer_key(first), length)["length"])

    def _seed(self, point: SweepPoint) -> int:
        return self._simulated.seed + point.repeat

    def _settled(self, point: SweepPoint, workload: Simulable) -> Settled:
        laps = self._laps(workload) if isinstance(workload, Workload) else 1
        return settle(Options.of(self._schedule.options(point), laps=laps))

    def _laps(self, workload: Workload) -> int:
        return min(self._simulated.laps(workload.rows), workload.room.laps)

    def _serial_run(self, number: int, loaded: Loaded, options: Options, repeat: int) -> Record:
        """Measured, not simulated; as a sweep's."""
        workload, comparison = loaded(), self._schedule.comparisons[number]
        laps = min(SERIAL_LAPS * self._laps(workload), workload.room.laps) if isinstance(workload, Workload) else 1
        options = Options.of(options, laps=laps)
        try:
            right = self._answer(number, workload)
            run = checked_run(workload, options, repeat, workload.serial_digest(options.laps), right)
        except StreambenchError as problem:
            run = {**configuration(workload, options), **dict.fromkeys(NUMBERS), "repeat": repeat, "profile": []}
            run |= {"digest": None, "sequence_ok": False, "answer_ok": False, "core_round_trip_ns": None}
            run |= {"tuples": workload.rows * options.laps, "problem": str(problem)}
        if not isinstance(
            comparison.workload, str
        ):  # its stream is as long as it has to be: the simulated runs' is told
            run["micro"] = sized(comparison.workload, self._simulated.micro_tuples(comparison)).to_dict()
        return {**run, "simulated": False}

    def _answer(self, number: int, workload: Simulable) -> bool:
        """Whether the serial engine's answer to one lap is SQL's; of a parametric pipeline nobody else knows it."""
        if isinstance(workload, MicroWorkload):
            return True

        def answered() -> Record:
            self._tell(f"{workload.name}: checking the serial engine's answer")
            return {"right": one_lap(workload, Options(engine="serial", preload=True))[1]}

        return bool(self._call.step("answer", self._schedule.workload_key(number), answered)["right"])

    def _measured_workload(self, comparison: Comparison) -> Simulable:
        forget_peak()
        if isinstance(comparison.workload, str):
            return self._call.data.workload(comparison.workload)
        return MicroWorkload(sized(comparison.workload, self._simulated.profiled_tuples(comparison)))

    def _simulated_workload(self, comparison: Comparison) -> Simulable:
        if isinstance(comparison.workload, str):
            return self._call.data.workload(comparison.workload)
        return WithoutWork(sized(comparison.workload, self._simulated.micro_tuples(comparison)))

    def _left(self) -> float | None:
        """Seconds, by what such steps have taken on the average so far."""
        seconds = 0.0
        for way, missing in self._missing.items():
            if missing and not self._seconds[way]:
                return None
            seconds += missing * fmean(self._seconds[way]) if missing else 0.0
        return seconds

    def _tell(self, doing: str) -> None:
        self._call.tell(doing, self._total - sum(self._missing.values()), self._left())


class WithoutWork(MicroWorkload):
    """The same stream, keys and outputs for each tuple, but no round of computation: simulated, work takes the time of
    a profile without being done."""

    @property
    def rounds(self) -> tuple[int, ...]:
        """None."""
        return (0,) * len(self.spec.operators)


def _pipeline(workload: Simulable, settled: Settled) -> Pipeline:
    if isinstance(workload, OwnWorkload):
        return workload.pipeline(keep=False)
    return workload.pipeline(settled, keep=False)


def _numbers(run: WholeSimulatedRun) -> dict[str, Any]:
    """What a right run has."""
    simulated = run.simulated
    return {
        "tuples": simulated.tuples,
        "seconds": simulated.seconds,
        "throughput": simulated.throughput,
        "latency": run.latency,
        "latency_operators": run.latency_operators,
        "digest": simulated.digest,
        "sequence_ok": True,
        "answer_ok": True,
        "profile": [{name: each[name] for name in OF_STAGES} for each in run.stages],
        "first": simulated.first,
        "taken": simulated.taken,
        "busy": simulated.busy,
        "waited": simulated.waited,
        "idle": simulated.idle,
        "events": simulated.events,
    }
