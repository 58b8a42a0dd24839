"""The measuring of the cases: a real run, the profile, the real run again, and the simulation of the same."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.checked_run import checked_run, configuration
from streambench.lab.measure.validation.beside_profile import WATCHED, Beside
from streambench.lab.measure.validation.cases import MICRO, Case
from streambench.lab.measure.validation.laps import MOST_LAPS, laps_of
from streambench.lab.record.journal import Journal, Record
from streambench.lab.simulate.profile import profile
from streambench.lab.simulate.simulate import once
from streambench.lab.simulate.times import Times, Watched
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.micro import MicroWorkload
from streambench.lab.workloads.workload import Workload

ATTEMPTS = 3  # at a comparison during which the host moves the cores
SECONDS = 0.25  # of a real run: less, and nothing can be told of what others did meanwhile

Report = Callable[[str, int, float | None], None]
"""Called before every case with what it is, the cases that are done, and the seconds that are left."""


class Validation:
    """The comparisons of ``cases``, those of earlier calls first. ``times``: of the machine, measured just before."""

    def __init__(
        self,
        cases: Sequence[Case],
        data: Catalog | None,
        journal: Journal,
        times: Times,
        *,
        seconds: float = SECONDS,
        report: Report | None = None,
    ) -> None:
        self._cases, self._data, self._journal = cases, data, journal
        self._times, self._seconds, self._report = times, seconds, report
        self._workloads: dict[str, Workload | MicroWorkload] = {}
        self._laps: dict[Case, int] = {}
        self._watched = deque[Watched](maxlen=WATCHED)
        self.runs: dict[int, Record] = {each["case"]: each["run"] for each in journal.records if each["step"] == "case"}

    def measure(self, budget: float | None = None) -> list[Record] | None:
        """Compare what has not been compared yet; None where the ``budget`` of seconds ended before the cases did."""
        began = time.perf_counter()
        missing = [number for number in range(len(self._cases)) if number not in self.runs]
        in_order = sorted(missing, key=lambda number: self._cases[number].workload)  # a workload is loaded once
        for done, number in enumerate(in_order):
            spent = time.perf_counter() - began
            if done and budget is not None and spent > budget:  # every call gets something done
                return None
            if self._report:
                left = spent / done * (len(missing) - done) if done else None
                self._report(self._cases[number].workload, len(self.runs), left)
            run = self._compare(self._cases[number])
            self._journal.append({"step": "case", "case": number, "run": run})
            self.runs[number] = run
        return [self.runs[number] for number in range(len(self._cases))]

    def _compare(self, case: Case) -> Record:
        """The comparison, again where the host moved the cores meanwhile: then real runs, profile run and simulation
        are of different machines. Where it did so in every attempt, the one counts in which most real runs do."""
        attempts: list[Record] = []
        while len(attempts) < ATTEMPTS:
            attempts.append(self._compare_once(case))
            if attempts[-1]["stayed"]:
                return attempts[-1]
        return max(attempts, key=lambda each: each["alike"] if each["sequence_ok"] else -1)

    def _compare_once(self, case: Case) -> Record:
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
        made = once(workload, settled, fed, Topology(), times, seed=1).simulated
        return compared({**configuration(workload, options), "query": case.workload}, beside, made.to_dict(), times)

    def _workload(self, name: str) -> Workload | MicroWorkload:
        if name not in self._workloads:
            if name in MICRO:
                self._workloads[name] = MicroWorkload(MICRO[name])
            else:
                assert self._data is not None, "a query needs data"
                self._workloads[name] = Workload(name, self._data)
        return self._workloads[name]

    def _laps_for(self, case: Case, workload: Workload | MicroWorkload) -> int:
        """Those of the case's runs: what a lap takes goes by all of its options, the workers among them."""
        if case not in self._laps:

            def run(laps: int) -> float:
                return workload.run(Options.of(case.options, laps=laps), keep=False)[0].seconds

            most = workload.room.laps if isinstance(workload, Workload) else MOST_LAPS
            self._laps[case] = laps_of(run, self._seconds, most)
        return self._laps[case]


def compared(settings: Mapping[str, Any], beside: Beside, made: Mapping[str, Any], times: Times) -> dict[str, Any]:
    """The record of one comparison; without numbers where a real run was wrong, or a simulated one.

    Only real runs count that had the cores where the profile run had them: ``alike`` of them, all if none had;
    ``stayed``: all had.
    """
    real = beside.alike
    right = all(each["sequence_ok"] for each in beside.real) and made["throughput"] is not None
    disturbed = [each["host"]["disturbed"] for each in real]
    return {
        **settings,
        "repeat": 0,
        "sequence_ok": right,
        "measured_throughput": [each["throughput"] for each in real] if right else None,
        "measured_latency": [each["latency"]["mean"] for each in real] if right else None,
        "simulated_throughput": made["throughput"],
        "simulated_latency": made["latency"],
        "first": made["first"],
        "taken": made["taken"],
        "core_round_trip_ns": beside.round_trips,
        "stayed": beside.stayed,
        "alike": beside.n_alike,
        "host": next((each["host"] for each in real if each["host"]["disturbed"]), real[-1]["host"]),
        "disturbed": True if True in disturbed else None if None in disturbed else False,
        "times_ns": asdict(times),
    }
