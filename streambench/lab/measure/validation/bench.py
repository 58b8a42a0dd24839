"""`streambench simulate validate`, case by case: a real run, the profile, the real run again, and the simulation."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.measure.checked_run import checked_run, configuration
from streambench.lab.measure.frame import Bench, BenchCall, BenchData
from streambench.lab.measure.validation.beside_profile import WATCHED, Beside
from streambench.lab.measure.validation.cases import MICRO, ValidationCase
from streambench.lab.record.journal import Record
from streambench.lab.record.validation_summary import KIND
from streambench.lab.simulate.profile import profile
from streambench.lab.simulate.simulate import once
from streambench.lab.simulate.times import Times, Watched, measure
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.workload import Workload

ATTEMPTS = 3  # at a comparison during which the host moves the cores
MOST_LAPS = 1 << 10
MOST_TIMES = 8  # as many laps in the next try: of few laps most of the time may be a run's beginning
SECONDS = 0.25  # of a real run: less, and nothing can be told of what others did meanwhile


@dataclass(frozen=True)
class ValidationBench(Bench):
    """The comparisons of ``cases``, drawn from ``drawn_from`` ones, whose real runs last about ``seconds``."""

    kind = KIND
    unit = "configurations"
    timed = True
    growing = ("cases",)

    cases: Sequence[ValidationCase]
    drawn_from: int = 0
    seconds: float = SECONDS

    @property
    def total(self) -> int:
        """All cases."""
        return len(self.cases)

    def plain(self) -> dict[str, Any]:
        """The cases and the seconds."""
        return {"cases": [each.to_dict() for each in self.cases], "seconds": self.seconds}

    def parameters(self, call: BenchCall, runs: Sequence[Record]) -> dict[str, Any]:
        """How many cases there are; each run tells its own."""
        return {"seconds": self.seconds, "cases": len(self.cases), "of": self.drawn_from}

    def runs(self, call: BenchCall) -> list[Record]:
        """By workload, as one is loaded once."""
        times = measure()
        call.warn(times.warnings)
        comparisons = Comparisons(call.data, times, self.seconds)
        began = time.perf_counter()
        missing = [case for case in self.cases if call.kept("run", case.key) is None]
        by_workload = sorted(missing, key=lambda case: case.workload)
        for done, case in enumerate(call.limit.while_there_is_time(by_workload)):
            spent = time.perf_counter() - began
            call.tell(case.workload, call.count("run"), spent / done * (len(missing) - done) if done else None)
            call.run(case.key, partial(comparisons.compare, case))
        runs = (call.kept("run", case.key) for case in self.cases)
        return [run for run in runs if run is not None]


class Comparisons:
    """Compares cases over ``data``. ``times``: of the machine, measured just before."""

    def __init__(self, data: BenchData, times: Times, seconds: float) -> None:
        self._data, self._times, self._seconds = data, times, seconds
        self._workloads: dict[str, Workload | MicroWorkload] = {}
        self._laps: dict[ValidationCase, int] = {}
        self._watched = deque[Watched](maxlen=WATCHED)

    def compare(self, case: ValidationCase) -> Record:
        """The comparison, again where the host moved the cores meanwhile: then real runs, profile run and simulation
        are of different machines. Where it did so in every attempt, the one counts in which most real runs do."""
        attempts: list[Record] = []
        while len(attempts) < ATTEMPTS:
            attempts.append(self._compare_once(case))
            if attempts[-1]["stayed"]:
                return attempts[-1]
        return max(attempts, key=lambda each: each["alike"] if each["sequence_ok"] else -1)

    def _compare_once(self, case: ValidationCase) -> Record:
        workload = self._workload(case.workload)
        options = Options.of(case.options, laps=self._laps_for(case, workload))
        reference = workload.serial_digest(options.laps)
        settled = settle(options)
        beside = Beside(self._times, settled.workers, self._watched)
        beside.real.append(checked_run(workload, options, 0, reference, None))
        with beside.profiled():
            fed = profile(workload, settled)
        beside.real.append(checked_run(workload, options, 1, reference, None))
        times = beside.times()
        simulated = once(workload, settled, fed, Topology(), times, seed=1).simulated
        return compared(
            {**configuration(workload, options), "query": case.workload}, beside, simulated.to_dict(), times
        )

    def _workload(self, name: str) -> Workload | MicroWorkload:
        if name not in self._workloads:
            if name in MICRO:
                self._workloads[name] = MicroWorkload(MICRO[name])
            else:
                self._workloads[name] = self._data.query(name)
        return self._workloads[name]

    def _laps_for(self, case: ValidationCase, workload: Workload | MicroWorkload) -> int:
        """Those of the case's runs: what a lap takes goes by all of its options, the workers among them."""
        if case not in self._laps:

            def run(laps: int) -> float:
                return workload.run(Options.of(case.options, laps=laps), keep=False)[0].seconds

            most = workload.room.laps if isinstance(workload, Workload) else MOST_LAPS
            self._laps[case] = laps_of(run, self._seconds, most)
        return self._laps[case]


def compared(settings: Mapping[str, Any], beside: Beside, simulated: Mapping[str, Any], times: Times) -> dict[str, Any]:
    """The record of one comparison; without numbers where a real run was wrong, or a simulated one.

    Only real runs count that had the cores where the profile run had them: ``alike`` of them, all if none had;
    ``stayed``: all had.
    """
    real = beside.alike
    right = all(each["sequence_ok"] for each in beside.real) and simulated["throughput"] is not None
    disturbed = [each["host"]["disturbed"] for each in real]
    return {
        **settings,
        "repeat": 0,
        "sequence_ok": right,
        "measured_throughput": [each["throughput"] for each in real] if right else None,
        "measured_latency": [each["latency"]["mean"] for each in real] if right else None,
        "simulated_throughput": simulated["throughput"],
        "simulated_latency": simulated["latency"],
        "first": simulated["first"],
        "taken": simulated["taken"],
        "core_round_trip_ns": beside.round_trips,
        "stayed": beside.stayed,
        "alike": beside.n_alike,
        "host": next((each["host"] for each in real if each["host"]["disturbed"]), real[-1]["host"]),
        "disturbed": True if True in disturbed else None if None in disturbed else False,
        "times_ns": asdict(times),
    }


def laps_of(run: Callable[[int], float], seconds: float, most: int = MOST_LAPS) -> int:
    """Laps, a power of two up to ``most``, of which a run lasts from two thirds of ``seconds`` to four thirds.

    ``run``: runs so many laps and returns the seconds that it took. The first time it is cold, and does not count.
    """
    run(1)
    laps = 1
    while 2 * laps <= min(most, MOST_LAPS):
        seconds_taken, tried = run(laps), laps
        while 2 * laps <= min(most, MOST_LAPS, MOST_TIMES * tried) and 1.5 * seconds_taken * laps / tried < seconds:
            laps *= 2
        if laps == tried:
            break
    return laps
