"""The highest rate at which a query stays within a latency bound, for each engine, heuristic and
number of workers, by bisection.

An open loop: latency counts from the intended arrival, so that a stall counts for all who came meanwhile. A run is as
long as the quantile needs and as its own start-up, which is found from its markers, takes. Every run is checked like
those of `bench queries`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from streambench.errors import OptionError
from streambench.execution.arrival_process import Arrivals
from streambench.execution.marker_statistics import QUANTILES
from streambench.execution.options import MOST_LAPS, Engine, Options
from streambench.execution.warm_up import LEFT_OUT
from streambench.host.ready_memory import forget_peak
from streambench.lab.measure.checked_run import checked_run, one_lap, title
from streambench.lab.measure.frame import Bench, BenchCall, Report
from streambench.lab.measure.named import named_queries, require_once
from streambench.lab.record.journal import Record
from streambench.lab.record.rate_bracket import decided, goes_on, next_rate
from streambench.lab.record.rate_search_summary import FULL_SPEED, KIND, SEARCH
from streambench.lab.record.summary import verified
from streambench.lab.workloads.workload import Workload
from streambench.queries import query as queries

FULL_SPEED_RUNS = 3
BEYOND = 50  # markers that count beyond the quantile, at least: its run-to-run noise is then some 14 %
COUNTED = 0.6  # of the markers: those between the 20th and the 80th percentile
BOUNDS = 100  # a run lasts so many bounds at least
KEEPS_UP = 0.98  # of what is offered
DISTURBED, STARTING_UP = "disturbed", "starting up"  # what may be to blame for a miss
LONGER = (1, 2, 4)  # times as long, where the start-up was not over when counting began


@dataclass(frozen=True)
class RateSearch(Bench):
    """What is searched: the highest rate with ``quantile`` of the latency within ``bound`` seconds.

    ``heuristics``: of ``schemes``, each by itself; ``work_unit``: tuples, None as the engines choose it.
    ``seconds``: what a run lasts at least. ``precision``: 0.05 ends the search where the lowest rate that misses the
    bound is within 5 % of the highest that meets it. Raises OptionError for what cannot be met.
    """

    kind = KIND

    queries: Sequence[str]
    workers: Sequence[int]
    quantile: str
    bound: float
    engines: Sequence[Engine] = ("serial", "ordered")
    heuristics: Sequence[str] = ()
    work_unit: int | None = None
    arrivals: Arrivals = "constant"
    arrival_seed: int = 1
    seconds: float = 1.0
    precision: float = 0.05
    parameter_set: str = "paper"

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", named_queries(self.queries))
        require_once("engine", self.engines)
        require_once("number of workers", self.workers)
        require_once("heuristic", self.heuristics)
        if self.heuristics and "schemes" not in self.engines:
            raise OptionError("`heuristics` belong to the engine schemes: leave them out, or name that engine.")
        if self.quantile not in QUANTILES:
            raise OptionError(f"there is no quantile {self.quantile}: choose from {', '.join(QUANTILES)}.")
        for name, value, low, high in (
            (self.quantile, self.bound, 1e-6, 60.0),
            ("seconds", self.seconds, 0.01, 600.0),
            ("precision", self.precision, 0.001, 1.0),
        ):
            if not (math.isfinite(value) and low <= value <= high):
                unit = "" if name == "precision" else " seconds"
                raise OptionError(f"`{name}` must be from {low:g} to {high:g}{unit}, not {value:g}.")
        for base in self.bases():
            Options.of(base, rate=1.0, arrivals=self.arrivals, arrival_seed=self.arrival_seed)
        for name in self.queries:
            query = queries.find(name)
            if self.parameter_set not in query.parameters:
                raise OptionError(f"{name} has no parameter set {self.parameter_set!r}.")
            if query.join is not None:
                raise OptionError(f"{name} joins two streams, which cannot be replayed for as long as a rate needs.")

    @property
    def markers(self) -> int:
        """Of a run: enough count beyond the quantile."""
        share = 1 - QUANTILES[self.quantile]
        return max(Options.markers, math.ceil(BEYOND / (COUNTED * share)) if share else 0)

    def bases(self) -> list[Options]:
        """The configurations, without a rate."""
        usual = Options(unit=self.work_unit, preload=True, markers=self.markers)
        return [
            Options.of(usual, engine=engine, workers=workers, heuristic=heuristic)
            for engine in self.engines
            for heuristic in (self.heuristics if engine == "schemes" else ()) or (None,)
            for workers in (self.workers if engine != "serial" else (1,))
        ]

    def runs(self, call: BenchCall) -> list[Record]:
        """Of every point, by query, engine, heuristic and number of workers."""
        points = [(name, base) for name in self.queries for base in self.bases()]
        runs: list[Record] = []
        workload: Workload | None = None
        for place, (name, base) in enumerate(points):
            if workload is None or workload.name != name:
                call.tell(f"{name}: loading", place / len(points))
                workload = call.data.query(name)
                workload.require_rows()
                forget_peak()

            def tell(what: str, fraction: float, place: int = place, name: str = name) -> None:
                call.tell(f"{name}: {what}", (place + fraction) / len(points))

            runs += PointSearch(workload, base, self, call, tell).measure()
        return runs


class PointSearch:
    """The search for one query and configuration.

    What is done next follows from the runs before: so a run's number is its key, and a call that goes on repeats the
    same way through what is kept.
    """

    def __init__(self, workload: Workload, base: Options, search: RateSearch, kept: BenchCall, tell: Report) -> None:
        self.workload, self.base, self.search = workload, base, search
        self._kept, self._tell = kept, tell
        self._key = f"{workload.name} {base.engine} {base.heuristic} {base.workers}"
        self._runs: list[Record] = []

    def measure(self) -> list[Record]:
        """All its runs; no more after one that is wrong."""
        fast = self._full_speed()
        tried: dict[float, bool | None] = {}
        while self._right() and (rate := next_rate(tried, fast, self.search.precision)) is not None:
            tried[rate] = self._at(rate, len(tried))
        return self._runs

    def _full_speed(self) -> float:
        """The median throughput as fast as possible."""
        for number in range(FULL_SPEED_RUNS):
            self._tell(f"{title(self.base)}, full speed", 0.02 * number)
            guess = median(run["throughput"] for run in self._runs) if self._runs else 1e6
            self._run(self._options(0.0, guess, 1, number), number)
        return float(median(run["throughput"] for run in self._runs))

    def _at(self, rate: float, tried: int) -> bool | None:
        """Whether the bound is met at a rate; None where it cannot be told."""
        met: list[bool | None] = []
        longer = 0
        while self._right() and goes_on(met):
            self._tell(f"{title(self.base)}, rate {tried + 1}, {rate:,.0f} tuples/s", min(0.95, 0.06 + 0.07 * tried))
            options = self._options(rate, rate, LONGER[longer], len(met))
            run = self._run(options, len(met), last=longer + 1 == len(LONGER))
            met.append(run["met"])
            longer += run["why"] == STARTING_UP and longer + 1 < len(LONGER)
        return decided(met)

    def _options(self, rate: float, speed: float, longer: int, repeat: int) -> Options:
        """Of a run at ``rate``, 0 for full speed, in which tuples go through at ``speed``."""
        search = self.search
        seconds = longer * max(search.seconds, BOUNDS * search.bound if rate else 0.0)
        tuples = max(seconds * speed, search.markers)
        laps = min(_round_laps(tuples / self.workload.rows), self.workload.room.laps, MOST_LAPS)
        arrivals = {"arrivals": search.arrivals, "arrival_seed": search.arrival_seed + repeat} if rate else {}
        return Options.of(self.base, rate=rate, laps=laps, **arrivals)  # type: ignore[arg-type]

    def _run(self, options: Options, repeat: int, *, last: bool = True) -> Record:
        """The next run, and at a rate whether it met the bound."""

        def measure() -> Record:
            reference = self.workload.serial_digest(options.laps)
            run = checked_run(self.workload, options, repeat, reference, self._answer())
            met, why = outcome(run, self.search, last=last) if options.rate else (None, None)
            bound = {"quantile": self.search.quantile, "seconds": self.search.bound}
            return {**run, "bound": bound, "step": SEARCH if options.rate else FULL_SPEED, "met": met, "why": why}

        self._runs.append(self._kept.run(f"{self._key} run {len(self._runs)}", measure))
        return self._runs[-1]

    def _answer(self) -> bool:
        """Whether this configuration's answer is SQL's, as it was found once."""

        def answered() -> Record:
            return {"right": one_lap(self.workload, self.base)[1]}

        return bool(self._kept.step("answer", f"{self._key} answer", answered)["right"])

    def _right(self) -> bool:
        return all(map(verified, self._runs))


def outcome(run: Record, search: RateSearch, *, last: bool) -> tuple[bool | None, str | None]:
    """Whether a run met the bound, and what may be to blame where it did not: then None.

    A run that met it did so in spite of what happened beside it. One that missed it is doubtful if the host disturbed
    it, or if it kept up and its start-up lasted until counting began, unless it is the ``last`` length that is tried.
    ``rate_bracket.decided`` says what a doubtful miss counts for.
    """
    keeps_up = run["throughput"] >= KEEPS_UP * run["offered"]
    if keeps_up and run["latency_end_to_end"][search.quantile] <= search.bound:
        return True, None
    if run["disturbed"]:
        return None, DISTURBED
    started = run["steadiness"]["warm_up_share"]
    if keeps_up and not last and (started is None or started > LEFT_OUT):
        return None, STARTING_UP
    return False, None


def _round_laps(laps: float) -> int:
    """So many or somewhat more, of few different numbers: what one lap more causes is asked of SQL only once."""
    whole = max(1, math.ceil(laps))
    step = 1 << max(0, whole.bit_length() - 3)
    return -(-whole // step) * step
