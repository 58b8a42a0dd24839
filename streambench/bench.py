"""The main sweep: every query with the serial engine and with the ordered engine on 1 to all cores, interleaved.

Every engine replays the same stream for the same number of laps, and every run is checked: its output sequence against
the serial engine's, and its configuration's answer for one lap against SQL. A run that is wrong has no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from streambench import core_distance, results
from streambench.catalog import Catalog
from streambench.checked_run import checked_run, interleaved, one_lap, title
from streambench.errors import OptionError
from streambench.limits import default_workers
from streambench.machine import describe, warnings
from streambench.options import Options
from streambench.queries import query as queries
from streambench.ready_memory import forget_peak
from streambench.workload import Workload

SERIAL_UNITS = (1024, 2048, 4096)
CALIBRATION_SECONDS = 0.2  # long enough for the scheduler's estimates to settle
ATTEMPTS = 2  # the better of two, against a neighbour's burst

Report = Callable[[str, float], None]
"""Called with what is being done and the fraction of the whole that is done."""


@dataclass(frozen=True)
class Plan:
    """What is measured: ``repeats`` rounds over ``workers`` (and serial) of runs that last ``min_seconds`` at least.

    The serial engine is measured at its best unit size; so is the ordered one if ``units`` are given, which otherwise
    chooses its own while it runs.
    """

    queries: Sequence[str]
    workers: Sequence[int]
    repeats: int = 5
    min_seconds: float = 2.0
    units: Sequence[int] = ()
    parameter_set: str = "paper"

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise OptionError(f"repeats must be at least 1, not {self.repeats}.")
        if not (math.isfinite(self.min_seconds) and 0 < self.min_seconds <= 3600):
            raise OptionError(f"min-seconds must be more than 0 and at most 3600, not {self.min_seconds}.")
        if not self.queries or not self.workers:
            raise OptionError("a benchmark needs at least one query and one number of workers.")
        for name in self.queries:
            if name not in queries.names():
                raise OptionError(f"there is no query {name!r}: choose from {', '.join(queries.names())}.")
        for count in self.workers:  # said before anything is generated, loaded or measured
            Options(workers=count)
        for unit in self.units:
            Options(unit=unit)


def worker_counts(most: int | None = None) -> list[int]:
    """The numbers of workers to measure: all up to 8, then about three per doubling, up to all allowed cores."""
    most = most or default_workers()
    steps = [*range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256]
    return [*(count for count in steps if count < most), most]


def bench(data: Catalog, plan: Plan, parameters: dict[str, Any], report: Report | None = None) -> dict[str, Any]:
    """Measure ``plan`` over ``data`` and return a result document (see ``streambench.results``).

    ``parameters`` describe the data and go into the document as they are.
    """
    machine = describe()
    spoilt = warnings(machine)
    runs: list[dict[str, Any]] = []
    for place, name in enumerate(plan.queries):

        def tell(what: str, fraction: float, place: int = place, name: str = name) -> None:
            if report is not None:
                report(f"{name}: {what}", (place + fraction) / len(plan.queries))

        tell("loading", 0.0)
        workload = Workload(name, data, plan.parameter_set, preload=True)
        runs.extend(_measure_query(workload, plan, tell))
    chosen = {
        "repeats": plan.repeats,
        "min_seconds": plan.min_seconds,
        "units_tried": list(plan.units),
        "workers": list(plan.workers),
        "parameter_set": plan.parameter_set,
    }
    moved = core_distance.warning([each["core_round_trip_ns"] for each in runs if each["core_round_trip_ns"]])
    spoilt += [moved] if moved else []
    return results.document("bench", {**parameters, **chosen}, runs, machine, spoilt)


def _measure_query(workload: Workload, plan: Plan, tell: Report) -> Iterator[dict[str, Any]]:
    bases = [Options(engine="serial", preload=True), *(Options(workers=count, preload=True) for count in plan.workers)]
    workload.expected_answer()  # kept for the checks
    forget_peak()  # that of loading, and of SQL
    chosen = []
    for place, base in enumerate(bases):
        tell(f"calibrating {title(base)}", 0.2 * place / len(bases))
        chosen.append(_best(workload, base, plan.units or (SERIAL_UNITS if base.engine == "serial" else (None,))))
    fastest = max(throughput for _, throughput in chosen)
    laps = max(1, math.ceil(plan.min_seconds * fastest / max(1, workload.rows)))
    configurations = [Options.of(options, laps=laps) for options, _ in chosen]
    answers = []
    for place, options in enumerate(configurations):
        tell(f"checking the answer of {title(options)}", 0.2 + 0.1 * place / len(configurations))
        answers.append(one_lap(workload, options)[1])
    tell("the serial engine's sequence", 0.3)
    reference = workload.serial_digest(laps)  # everything is warm by now: each configuration has run several times
    for done, (repeat, place) in enumerate(interleaved(len(configurations), plan.repeats)):
        options = configurations[place]
        share = done / (len(configurations) * plan.repeats)
        tell(f"repeat {repeat + 1} of {plan.repeats}, {title(options)}, {laps} laps", 0.35 + 0.65 * share)
        yield checked_run(workload, options, repeat, reference, answers[place])


def _best(workload: Workload, base: Options, units: Sequence[int | None]) -> tuple[Options, float]:
    """The fastest unit size for a configuration, and its throughput."""
    found: list[tuple[float, int]] = []
    laps = 1
    for place, unit in enumerate(units):
        options = Options.of(base, unit=unit, laps=laps)
        if not found:  # a first, short run says how long the others should be
            measured, _ = workload.run(options, keep=False)
            laps = max(1, math.ceil(CALIBRATION_SECONDS / max(measured.seconds, 1e-6)))
            options = Options.of(options, laps=laps)
        for _ in range(ATTEMPTS):
            measured, _ = workload.run(options, keep=False)
            found.append((measured.throughput, place))
    throughput, place = max(found)
    return Options.of(base, unit=units[place]), throughput
