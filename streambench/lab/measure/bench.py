"""The main sweep: queries and own pipelines with the serial engine and with the ordered engine on 1 to all cores,
interleaved.

Every engine replays the same stream for the same number of laps, and every run is checked: its output sequence against
the serial engine's, and its configuration's answer for one lap against SQL. A run that is wrong has no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.host.limits import default_workers
from streambench.host.ready_memory import forget_peak
from streambench.lab.data.catalog import Catalog
from streambench.lab.host import interrupts
from streambench.lab.measure.checked_run import checked_run, interleaved, one_lap, title
from streambench.lab.measure.named import named_workloads, require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit
from streambench.lab.record import journaled_document
from streambench.lab.record.journal import Journal, Memory, Record
from streambench.lab.workloads import laps
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own
from streambench.lab.workloads.workload import Workload
from streambench.queries import query as queries

SERIAL_UNITS = (1024, 2048, 4096)
CALIBRATION_SECONDS = 0.2  # long enough for the scheduler's estimates to settle
ATTEMPTS = 2  # the better of two, against a neighbour's burst

Report = Callable[[str, float], None]
"""Called with what is being done and the fraction of the whole that is done."""


@dataclass(frozen=True)
class Bench:
    """What is measured: ``repeats`` rounds over ``workers`` (and serial) of runs that last ``min_seconds`` at least.

    ``queries``: their names, and own pipelines as ``module:function``, whose runs last as long as their streams.

    The serial engine is measured at its best unit size; so is the ordered one if ``units`` are given, which otherwise
    chooses its own while it runs.
    """

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

    def settings(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        return {
            "queries": list(self.queries),
            "workers": list(self.workers),
            "repeats": self.repeats,
            "min_seconds": self.min_seconds,
            "units_tried": list(self.units),
            "parameter_set": self.parameter_set,
        }


def worker_counts(most: int | None = None) -> list[int]:
    """The numbers of workers to measure: all up to 8, then about three per doubling, up to all allowed cores."""
    most = most or default_workers()
    steps = [*range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256]
    return [*(count for count in steps if count < most), most]


def bench(
    data: Catalog | None,
    wanted: Bench,
    parameters: dict[str, Any],
    report: Report | None = None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
    own: Mapping[str, OwnWorkload] | None = None,
    limit: TimeLimit = NO_LIMIT,
) -> dict[str, Any]:
    """Measure ``wanted`` over ``data`` and return a result document (see ``streambench.lab.record.results``).

    ``parameters`` describe the data and go into the document as they are. ``journal``: what is measured goes there at
    once, and what is there already is not measured again. ``call``: the record with which this call begins; left out,
    the machine is looked at now. ``own``: the own pipelines by name; left out, they are made here, without an oracle.
    ``limit``: queries share its time evenly, each of them measures as many repeats as fit.
    Raises StreambenchError where the journal cannot be written.
    """
    journal = journal or Memory()
    journal.append(call or journaled_document.begin())
    runs = BenchRuns(data, wanted, journal, report, own, limit).measure()
    journal.append(limit.record(runs))
    journal.append(journaled_document.end())
    return journaled_document.document("bench", {**parameters, **wanted.settings()}, runs, journal.records)


class BenchRuns:
    """The runs of a bench, those of earlier calls first."""

    def __init__(
        self,
        data: Catalog | None,
        bench: Bench,
        journal: Journal | Memory,
        report: Report | None = None,
        own: Mapping[str, OwnWorkload] | None = None,
        limit: TimeLimit = NO_LIMIT,
    ) -> None:
        self.data = data
        self.limit = limit
        self.own = {name: OwnWorkload(name) for name in bench.queries if is_own(name)} if own is None else own
        self.bench = bench
        self.bases = [Options(engine="serial", preload=True)]
        self.bases += [Options(engine="ordered", workers=count, preload=True) for count in bench.workers]
        self._journal = journal
        self._report = report
        self._kept: dict[tuple[Any, ...], Record] = {}
        for record in journal.records:
            self._keep(record)

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in the bench's order."""
        runs: list[Record] = []
        for place, name in enumerate(self.bench.queries):
            self.limit.begin_part(len(self.bench.queries) - place)

            def tell(what: str, fraction: float, place: int = place, name: str = name) -> None:
                if self._report is not None:
                    self._report(f"{name}: {what}", (place + fraction) / len(self.bench.queries))

            points = list(interleaved(len(self.bases), self.bench.repeats))
            missing = [point for point in points if ("run", name, *point) not in self._kept]
            if missing and not self.limit.part_is_over:
                self._measure_query(name, points, tell)
            runs += [self._kept["run", name, *point]["run"] for point in points if ("run", name, *point) in self._kept]
        return runs

    def _measure_query(self, name: str, points: Sequence[tuple[int, int]], tell: Report) -> None:
        tell("loading", 0.0)
        workload = self._workload(name)
        workload.expected_answer()  # kept for the checks
        forget_peak()  # that of loading, and of SQL
        chosen: list[tuple[Options, float]] = []
        for place, base in enumerate(self.bases):
            tell(f"calibrating {title(base)}", 0.2 * place / len(self.bases))
            chosen.append(self._calibrated(workload, place, base))
        length = self._laps(workload, max(throughput for _, throughput in chosen))
        configurations = [Options.of(options, laps=length) for options, _ in chosen]
        for place, options in enumerate(configurations):
            if ("answer", name, place) not in self._kept:
                tell(f"checking the answer of {title(options)}", 0.2 + 0.1 * place / len(configurations))
                self._add({"step": "answer", "query": name, "place": place, "right": one_lap(workload, options)[1]})
        tell("the serial engine's sequence", 0.3)
        if isinstance(workload, Workload) and length > 1:
            workload.expected_by_lap(length)  # kept for the checks
        reference = workload.serial_digest(length)  # all is warm by now: each configuration has run several times
        for done, (repeat, place) in enumerate(self.limit.while_there_is_time(points)):
            if ("run", name, repeat, place) in self._kept:
                continue
            options = configurations[place]
            what = f"repeat {repeat + 1} of {self.bench.repeats}, {title(options)}, {length} laps"
            tell(what, 0.35 + 0.65 * done / len(points))
            answer = self._kept["answer", name, place]["right"]
            run = checked_run(workload, options, repeat, reference, answer, histograms=True)
            self._add({"step": "run", "query": name, "repeat": repeat, "place": place, "run": run})

    def _workload(self, name: str) -> Workload | OwnWorkload:
        if name in self.own:
            return self.own[name]
        assert self.data is not None
        return Workload(name, self.data, self.bench.parameter_set, preload=True)

    def _calibrated(self, workload: Workload | OwnWorkload, place: int, base: Options) -> tuple[Options, float]:
        """A configuration at its fastest unit size, which stays the same when the bench is resumed."""
        key = ("calibrated", workload.name, place)
        if key not in self._kept:
            units = self.bench.units or (SERIAL_UNITS if base.engine == "serial" else (None,))
            options, throughput = _best(workload, base, units)
            best = {"unit": options.unit, "throughput": throughput}
            self._add({"step": "calibrated", "query": workload.name, "place": place, **best})
        record = self._kept[key]
        return Options.of(base, unit=record["unit"]), record["throughput"]

    def _laps(self, workload: Workload | OwnWorkload, fastest: float) -> int:
        """With so many the fastest configuration's runs last as long as is wanted; no more than fit."""
        key = ("length", workload.name)
        if key not in self._kept:
            found, short = laps.lasting(self.bench.min_seconds, workload.rows, fastest)
            spoilt = [f"{workload.name}: {short}" if short else None, workload.room.warning(workload.name, found)]
            told = [warning for warning in spoilt if warning is not None]
            found = min(found, workload.room.laps)
            self._add({"step": "length", "query": workload.name, "laps": found, "warnings": told})
        return int(self._kept[key]["laps"])

    def _add(self, record: Record) -> None:
        with interrupts.held():  # what is on disk is kept: a message that counts must not say otherwise
            self._journal.append(record)
            self._keep(record)

    def _keep(self, record: Record) -> None:
        names = [name for name in ("query", "repeat", "place") if name in record]
        if names:
            self._kept[record["step"], *(record[name] for name in names)] = record


def _best(workload: Workload | OwnWorkload, base: Options, units: Sequence[int | None]) -> tuple[Options, float]:
    """The fastest unit size for a configuration, and its throughput."""
    found: list[tuple[float, int]] = []
    length = 1
    for place, unit in enumerate(units):
        options = Options.of(base, unit=unit, laps=length)
        if not found:  # a first, short run says how long the others should be
            measured, _ = workload.run(options, keep=False)
            length = min(laps.within(CALIBRATION_SECONDS / max(measured.seconds, 1e-6)), workload.room.laps)
            options = Options.of(options, laps=length)
        for _ in range(ATTEMPTS):
            measured, _ = workload.run(options, keep=False)
            found.append((measured.throughput, place))
    throughput, place = max(found)
    return Options.of(base, unit=units[place]), throughput
