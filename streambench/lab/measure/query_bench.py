"""The main sweep: queries and own pipelines with the serial engine and with the ordered engine on 1 to all cores,
interleaved.

Every engine replays the same stream for the same number of laps, and every run is checked: its output sequence against
the serial engine's, and its configuration's answer for one lap against SQL. A run that is wrong has no number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.host.limits import default_workers
from streambench.host.ready_memory import forget_peak
from streambench.lab.measure.checked_run import checked_run, interleaved, one_lap, title
from streambench.lab.measure.frame import Bench, BenchCall, Report
from streambench.lab.measure.named import named_workloads, require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.record.journal import Record
from streambench.lab.workloads import laps
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own
from streambench.lab.workloads.workload import Workload
from streambench.queries import query as queries

SERIAL_UNITS = (1024, 2048, 4096)
CALIBRATION_SECONDS = 0.2  # long enough for the scheduler's estimates to settle
KIND = "bench"
ATTEMPTS = 2  # the better of two, against a neighbour's burst


@dataclass(frozen=True)
class QueryBench(Bench):
    """What is measured: ``repeats`` rounds over ``workers`` (and serial) of runs that last ``min_seconds`` at least.

    ``queries``: their names, and own pipelines as ``module:function``, whose runs last as long as their streams.

    The serial engine is measured at its best unit size; so is the ordered one if ``units`` are given, which otherwise
    chooses its own while it runs.
    """

    kind = KIND
    growing = ("queries", "repeats")

    queries: Sequence[str]
    workers: Sequence[int]
    repeats: int = 9
    min_seconds: float = 1.0
    units: Sequence[int] = ()
    parameter_set: str = "paper"

    def __post_init__(self) -> None:
        require_repeats(self.repeats)
        if not (math.isfinite(self.min_seconds) and 0 < self.min_seconds <= 3600):
            raise OptionError(f"`min_seconds` must be more than 0 and at most 3600, not {self.min_seconds}.")
        if not self.queries or not self.workers:
            raise OptionError("a benchmark needs at least one query and one number of workers.")
        object.__setattr__(self, "queries", named_workloads(self.queries))
        require_once("number of workers", self.workers)
        for count in self.workers:  # said before anything is generated, loaded or measured
            Options(workers=count)
        for unit in self.units:
            Options(unit=unit)
        for name in self.queries:
            if not is_own(name) and self.parameter_set not in queries.find(name).parameters:
                raise OptionError(f"{name} has no parameter set {self.parameter_set!r}.")

    @property
    def total(self) -> int:
        """Runs of every query."""
        return len(self.queries) * (1 + len(self.workers)) * self.repeats

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        return {{"units": "units_tried"}.get(name, name): value for name, value in super().plain().items()}

    def runs(self, call: BenchCall) -> list[Record]:
        """Query by query."""
        return QueryRuns(self, call).measure()


def worker_counts(most: int | None = None) -> list[int]:
    """The numbers of workers to measure: all up to 8, then about three per doubling, up to all allowed cores."""
    most = most or default_workers()
    steps = [*range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256]
    return [*(count for count in steps if count < most), most]


class QueryRuns:
    """The runs of a bench, those of earlier calls first."""

    def __init__(self, bench: QueryBench, call: BenchCall) -> None:
        self.bench, self._call = bench, call
        self.bases = [Options(engine="serial", preload=True)]
        self.bases += [Options(engine="ordered", workers=count, preload=True) for count in bench.workers]

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in the bench's order."""
        runs: list[Record] = []
        names, limit = self.bench.queries, self._call.limit
        for done, name in enumerate(names):
            limit.begin_part(len(names) - done)

            def tell(what: str, fraction: float, done: int = done, name: str = name) -> None:
                self._call.tell(f"{name}: {what}", (done + fraction) / len(names))

            points = list(interleaved(len(self.bases), self.bench.repeats))
            if any(self._kept(name, *point) is None for point in points) and not limit.part_is_over:
                self._measure_query(name, points, tell)
            runs += [run for point in points if (run := self._kept(name, *point)) is not None]
        return runs

    def _kept(self, name: str, repeat: int, place: int) -> Record | None:
        return self._call.kept("run", self._key(name, place, repeat))

    def _key(self, name: str, place: int, *more: object) -> str:
        """Of a configuration, in the journal: the same whatever else is measured beside it."""
        return " ".join(map(str, (name, title(self.bases[place]), *more)))

    def _measure_query(self, name: str, points: Sequence[tuple[int, int]], tell: Report) -> None:
        call = self._call
        tell("loading", 0.0)
        workload = call.data.workload(name)
        workload.expected_answer()  # kept for the checks
        forget_peak()  # that of loading, and of SQL
        chosen: list[tuple[Options, float]] = []
        for place, base in enumerate(self.bases):
            tell(f"calibrating {title(base)}", 0.2 * place / len(self.bases))
            chosen.append(self._calibrated(workload, place, base))
        length = self._laps(workload, max(throughput for _, throughput in chosen))
        configurations = [Options.of(options, laps=length) for options, _ in chosen]
        right = []
        for place, options in enumerate(configurations):
            tell(f"checking the answer of {title(options)}", 0.2 + 0.1 * place / len(configurations))
            answer = call.step("answer", self._key(name, place), partial(_answer, workload, options))
            right.append(answer["right"])
        tell("the serial engine's sequence", 0.3)
        if isinstance(workload, Workload) and length > 1:
            workload.expected_by_lap(length)  # kept for the checks
        reference = workload.serial_digest(length)  # all is warm by now: each configuration has run several times
        for done, (repeat, place) in enumerate(call.limit.while_there_is_time(points)):
            options = configurations[place]
            what = f"repeat {repeat + 1} of {self.bench.repeats}, {title(options)}, {length} laps"
            tell(what, 0.35 + 0.65 * done / len(points))
            run = partial(checked_run, workload, options, repeat, reference, right[place], histograms=True)
            call.run(self._key(name, place, repeat), run)

    def _calibrated(self, workload: Workload | OwnWorkload, place: int, base: Options) -> tuple[Options, float]:
        """A configuration at its fastest unit size, which stays the same when the bench is resumed."""

        def best() -> Record:
            units = self.bench.units or (SERIAL_UNITS if base.engine == "serial" else (None,))
            options, throughput = _best(workload, base, units)
            return {"unit": options.unit, "throughput": throughput}

        record = self._call.step("calibrated", self._key(workload.name, place), best)
        return Options.of(base, unit=record["unit"]), record["throughput"]

    def _laps(self, workload: Workload | OwnWorkload, fastest: float) -> int:
        """With so many the fastest configuration's runs last as long as is wanted; no more than fit."""

        def length() -> Record:
            count, short = laps.lasting(self.bench.min_seconds, workload.rows, fastest)
            spoilt = [f"{workload.name}: {short}" if short else None, workload.room.warning(workload.name, count)]
            warnings = [warning for warning in spoilt if warning is not None]
            return {"laps": min(count, workload.room.laps), "warnings": warnings}

        return int(self._call.step("length", workload.name, length, lambda record: list(record["warnings"]))["laps"])


def _answer(workload: Workload | OwnWorkload, options: Options) -> Record:
    return {"right": one_lap(workload, options)[1]}


def _best(workload: Workload | OwnWorkload, base: Options, units: Sequence[int | None]) -> tuple[Options, float]:
    """The fastest unit size for a configuration, and its throughput."""
    throughputs: list[tuple[float, int]] = []
    length = 1
    for place, unit in enumerate(units):
        options = Options.of(base, unit=unit, laps=length)
        if not throughputs:  # a first, short run says how long the others should be
            measured, _ = workload.run(options, keep=False)
            length = min(laps.within(CALIBRATION_SECONDS / max(measured.seconds, 1e-6)), workload.room.laps)
            options = Options.of(options, laps=length)
        for _ in range(ATTEMPTS):
            measured, _ = workload.run(options, keep=False)
            throughputs.append((measured.throughput, place))
    throughput, place = max(throughputs)
    return Options.of(base, unit=units[place]), throughput
