"""`streambench bench joins`: what is measured of joins, its presets, and all of its runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from streambench.errors import OptionError
from streambench.host.limits import default_workers
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.joins.case_studies import CASE_STUDIES, PAPER_SECONDS, run_case_study
from streambench.lab.measure.joins.crews import JOINS, TIERS
from streambench.lab.measure.joins.gates import POINTS as GATE_POINTS
from streambench.lab.measure.joins.gates import GatePoint, traffic
from streambench.lab.measure.joins.paced import at_a_rate
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.sustained import SustainedRate, sustained
from streambench.lab.measure.joins.throughput import JoinPoint, checked, full_speed
from streambench.lab.measure.named import require_choices, require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.record.join_summary import KIND
from streambench.lab.record.journal import Record

FIRST_STEADY, LEAST_STEADY = 256, 64  # tuples of each side
LONGER = 3  # a run at a rate, than one at full speed: matches are few
STUDIED = "simd"  # the tier that compares every pair by itself and keeps up with the case studies
MOST_THREADS = 1024
MOST_WINDOW = 86400  # seconds

P = TypeVar("P", JoinPoint, GatePoint)


@dataclass(frozen=True)
class JoinBench(Bench):
    """Every tier on every number of threads, with every window.

    ``joins``: `scale`, and what it is compared with. ``windows``: seconds of event time. ``seconds``: what a run's
    steady phase lasts, about. ``load``: of the sustainable rate, at which latency is measured. ``most_tuples``: in a
    window; rates that need more are not tried. ``studies``: of several physical streams, each of ``study_seconds``.
    ``gates``: whether gates are measured by themselves, too.
    """

    kind = KIND
    growing = ("joins", "tiers", "threads", "windows", "repeats", "studies", "gates")

    joins: Sequence[str] = tuple(JOINS)
    tiers: Sequence[str] = TIERS
    threads: Sequence[int] = ()
    windows: Sequence[float] = (300.0, 600.0, 900.0)
    repeats: int = 7
    seconds: float = 2.0
    load: float = 0.8
    studies: Sequence[str] = tuple(CASE_STUDIES)
    study_seconds: float = PAPER_SECONDS
    gates: bool = True
    most_tuples: int = 1 << 25
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.threads:
            object.__setattr__(self, "threads", tuple(dict.fromkeys((1, default_workers()))))
        require_choices("join", self.joins, JOINS)
        require_choices("tier", self.tiers, TIERS)
        require_choices("case study", self.studies, CASE_STUDIES)
        require_once("number of threads", self.threads)
        require_once("window", self.windows)
        if not all(1 <= each <= MOST_THREADS for each in self.threads):
            raise OptionError(f"`threads` must be from 1 to {MOST_THREADS}, not {', '.join(map(str, self.threads))}.")
        if not all(math.isfinite(each) and 0 < each <= MOST_WINDOW for each in self.windows):
            raise OptionError(f"`windows` must last more than 0 and at most {MOST_WINDOW} seconds.")
        require_repeats(self.repeats)
        if self.seed < 0:
            raise OptionError(f"`seed` must be at least 0, not {self.seed}.")
        if not (math.isfinite(self.seconds) and 0 < self.seconds <= 3600):
            raise OptionError(f"`seconds` must be more than 0 and at most 3600, not {self.seconds}.")
        if not (math.isfinite(self.study_seconds) and 0 < self.study_seconds <= 3600):
            raise OptionError(f"`study_seconds` must be more than 0 and at most 3600, not {self.study_seconds}.")
        if not 0 < self.load <= 1:
            raise OptionError(f"`load` must be more than 0 and at most 1, not {self.load}.")
        if self.most_tuples < 1024:
            raise OptionError(f"`most_tuples` must be at least 1024, not {self.most_tuples}.")

    def points(self) -> list[JoinPoint]:
        """Every point, by window, join, tier and threads; of a join those of the tiers that it has."""
        return [
            JoinPoint(join, tier, threads, window)
            for window in self.windows
            for join in self.joins
            for tier in self.tiers
            if tier in JOINS[join].tiers
            for threads in self.threads
        ]

    def runs(self, call: BenchCall) -> list[Record]:
        """First the sustainable rates, then every point at full speed, at a rate, and all else."""
        return JoinRuns(self, call).measure()


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "quick": {"windows": (1.0, 2.0, 3.0), "repeats": 3, "seconds": 0.1, "most_tuples": 1 << 21, "study_seconds": 3.0},
}
"""`paper`: windows of 5, 10 and 15 minutes. `quick`: of as many seconds as fill in no time."""


class JoinRuns:
    """The runs of a bench."""

    def __init__(self, bench: JoinBench, call: BenchCall) -> None:
        self.bench, self._call = bench, call
        self.points = bench.points()
        self._streams = PaperStreams(0)
        self._references: dict[tuple[int, int], str] = {}

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in their order."""
        limit = self._call.limit
        limit.begin_part(4)
        for place, point in enumerate(self.points):
            if place and limit.is_up:
                break
            self._call.tell(f"sustainable rates: {point.title()}", 0.3 * place / len(self.points))
            self.rate(point)
        limit.begin_part(3)
        runs = self._interleaved("throughput", self._full_speed, self.points, (0.3, 0.6))
        gated = [point for point in self.points if JOINS[point.join].gated]
        limit.begin_part(2)
        runs += self._interleaved("latency", self._at_a_rate, gated, (0.6, 0.85))
        limit.begin_part(1)
        if self.bench.gates:
            runs += self._interleaved("gate", self._gate, GATE_POINTS, (0.85, 0.9))
        for place, name in enumerate(limit.while_there_is_time(self.bench.studies)):
            self._call.tell(f"skew: case study {name}", 0.9 + 0.1 * place / len(self.bench.studies))
            runs.append(self._study(name))
        return runs

    def rate(self, point: JoinPoint) -> SustainedRate:
        """The rate that the point sustains, as it was found once."""

        def searched() -> Record:
            return sustained(self._tuples_per_second(point), point.window, self.bench.most_tuples)._asdict()

        return SustainedRate(**self._call.step("rate", " ".join(map(str, point)), searched))

    def _interleaved(
        self, way: str, run: Callable[[P, int], Record], among: Sequence[P], share: tuple[float, float]
    ) -> list[Record]:
        """Every point and repeat measured in one way, side by side."""
        return self._call.interleaved(
            among, self.bench.repeats, run, lambda point: f"{way}: {point.title()}", share, way
        )

    def _full_speed(self, point: JoinPoint, repeat: int) -> Record:
        window = self.rate(point).window
        steady = self._steady(self.rate(point).rate)
        streams = self._of(window + steady)
        reference = self._reference(window, steady)
        return {
            **checked(point, streams, window, steady, repeat, reference),
            "sustainable_rate": self.rate(point).rate,
        }

    def _at_a_rate(self, point: JoinPoint, repeat: int) -> Record:
        rate = self.bench.load * self.rate(point).rate
        window, steady = max(1, round(rate * point.window)), self._steady(LONGER * rate)
        streams = self._of(window + steady)
        reference = self._reference(window, steady)
        return {
            **at_a_rate(point, streams, window, steady, rate, repeat, reference),
            "sustainable_rate": self.rate(point).rate,
        }

    def _gate(self, point: GatePoint, repeat: int) -> Record:
        return traffic(point, self.bench.seconds, repeat)

    def _study(self, name: str) -> Record:
        bench = self.bench
        study, threads = CASE_STUDIES[name], max(bench.threads)
        return self._call.run(
            f"skew {name}", lambda: run_case_study(study, STUDIED, threads, bench.study_seconds, bench.seed)
        )

    def _tuples_per_second(self, point: JoinPoint) -> Callable[[int], float]:
        """How fast the point is with a window of so many tuples."""
        comparisons: list[float] = []

        def measured(window: int) -> float:
            steady = FIRST_STEADY if not comparisons else self._steady(comparisons[-1] / (2 * window))
            streams = self._of(window + steady)
            _, rates = full_speed(point, streams, window, steady)
            comparisons.append(rates["comparisons_per_second"])
            return float(rates["tuples_per_second"])

        return measured

    def _steady(self, rate: float) -> int:
        return max(LEAST_STEADY, round(self.bench.seconds * rate))

    def _of(self, tuples: int) -> PaperStreams:
        if self._streams.tuples < tuples:
            self._streams = PaperStreams(tuples + tuples // 4, self.bench.seed)
        return self._streams

    def _reference(self, window: int, steady: int) -> str:
        key = (window, steady)
        if key not in self._references:
            self._references[key] = self._of(window + steady).reference(*key)
        return self._references[key]
