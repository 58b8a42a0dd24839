"""All runs of a join bench: first the sustainable rates, then every point at full speed, interleaved and repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.joins.case_studies import CASE_STUDIES, run_case_study
from streambench.lab.measure.joins.crews import JOINS
from streambench.lab.measure.joins.gates import POINTS as GATE_POINTS
from streambench.lab.measure.joins.gates import GatePoint, traffic
from streambench.lab.measure.joins.paced import at_a_rate
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.settings import Settings
from streambench.lab.measure.joins.sustained import Sustained, sustained
from streambench.lab.measure.joins.throughput import Point, checked, full_speed
from streambench.lab.measure.kept_records import KeptRecords, Report, measured
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit
from streambench.lab.record.join_summary import KIND
from streambench.lab.record.journal import Journal, Memory, Record

FIRST_STEADY, LEAST_STEADY = 256, 64  # tuples of each side
LONGER = 3  # a run at a rate, than one at full speed: matches are few
STUDIED = "simd"  # the tier that compares every pair by itself and keeps up with the case studies

P = TypeVar("P", Point, GatePoint)


def join_bench(
    wanted: Settings,
    report: Report = lambda what, fraction: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
    limit: TimeLimit = NO_LIMIT,
) -> dict[str, Any]:
    """Measure ``wanted``; return a result document. ``journal``, ``call``, ``limit`` as in ``kept_records``."""

    def runs(kept: KeptRecords) -> list[Record]:
        return JoinRuns(wanted, kept, report, limit).measure()

    return measured(KIND, wanted, runs, journal, call, limit=limit)


def points(wanted: Settings) -> list[Point]:
    """Every point, by window, join, tier and threads; of a join those of the tiers that it has."""
    return [
        Point(join, tier, threads, window)
        for window in wanted.windows
        for join in wanted.joins
        for tier in wanted.tiers
        if tier in JOINS[join].tiers
        for threads in wanted.threads
    ]


class JoinRuns:
    """The runs of a bench."""

    def __init__(self, wanted: Settings, kept: KeptRecords, report: Report, limit: TimeLimit = NO_LIMIT) -> None:
        self.wanted = wanted
        self.limit = limit
        self.points = points(wanted)
        self._kept, self._report = kept, report
        self._streams = PaperStreams(0)
        self._references: dict[tuple[int, int], str] = {}

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in their order."""
        self.limit.begin_part(4)
        for place, point in enumerate(self.points):
            if place and self.limit.is_up:
                break
            self._report(f"sustainable rates: {point.title()}", 0.3 * place / len(self.points))
            self.rate(point)
        self.limit.begin_part(3)
        found = self._interleaved("throughput", self._full_speed, self.points, 0.3, 0.6)
        gated = [point for point in self.points if JOINS[point.join].gated]
        self.limit.begin_part(2)
        found += self._interleaved("latency", self._at_a_rate, gated, 0.6, 0.85)
        self.limit.begin_part(1)
        if self.wanted.gates:
            found += self._interleaved("gate", self._gate, GATE_POINTS, 0.85, 0.9)
        for place, name in enumerate(self.limit.while_there_is_time(self.wanted.studies)):
            self._report(f"skew: case study {name}", 0.9 + 0.1 * place / len(self.wanted.studies))
            found.append(self._study(name))
        return found

    def rate(self, point: Point) -> Sustained:
        """The rate that the point sustains, as it was found once."""

        def found() -> Record:
            return sustained(self._tuples_per_second(point), point.window, self.wanted.most_tuples)._asdict()

        return Sustained(**self._kept.step("rate", _key("rate", point), found))

    def _interleaved(
        self, measure: str, run: Callable[[P, int], Record], among: Sequence[P], begun: float, ended: float
    ) -> list[Record]:
        """Every point and repeat of one measure, side by side."""
        repeats = list(interleaved(len(among), self.wanted.repeats))
        found = []
        for done, (repeat, place) in enumerate(self.limit.while_there_is_time(repeats)):
            point = among[place]
            what = f"{measure}: {point.title()}, repeat {repeat + 1} of {self.wanted.repeats}"
            self._report(what, begun + (ended - begun) * done / len(repeats))
            found.append(self._kept.run(_key(measure, point, repeat), partial(run, point, repeat)))
        return found

    def _full_speed(self, point: Point, repeat: int) -> Record:
        window = self.rate(point).window
        steady = self._steady(self.rate(point).rate)
        streams = self._of(window + steady)
        reference = self._reference(window, steady)
        return {
            **checked(point, streams, window, steady, repeat, reference),
            "sustainable_rate": self.rate(point).rate,
        }

    def _at_a_rate(self, point: Point, repeat: int) -> Record:
        rate = self.wanted.load * self.rate(point).rate
        window, steady = max(1, round(rate * point.window)), self._steady(LONGER * rate)
        streams = self._of(window + steady)
        reference = self._reference(window, steady)
        return {
            **at_a_rate(point, streams, window, steady, rate, repeat, reference),
            "sustainable_rate": self.rate(point).rate,
        }

    def _gate(self, point: GatePoint, repeat: int) -> Record:
        return traffic(point, self.wanted.seconds, repeat)

    def _study(self, name: str) -> Record:
        wanted = self.wanted
        study, threads = CASE_STUDIES[name], max(wanted.threads)
        return self._kept.run(
            f"skew {name}", lambda: run_case_study(study, STUDIED, threads, wanted.study_seconds, wanted.seed)
        )

    def _tuples_per_second(self, point: Point) -> Callable[[int], float]:
        """How fast the point is with a window of so many tuples."""
        comparisons: list[float] = []

        def measured(window: int) -> float:
            steady = FIRST_STEADY if not comparisons else self._steady(comparisons[-1] / (2 * window))
            streams = self._of(window + steady)
            _, taken = full_speed(point, streams, window, steady)
            comparisons.append(taken["comparisons_per_second"])
            return float(taken["tuples_per_second"])

        return measured

    def _steady(self, rate: float) -> int:
        return max(LEAST_STEADY, round(self.wanted.seconds * rate))

    def _of(self, tuples: int) -> PaperStreams:
        if self._streams.tuples < tuples:
            self._streams = PaperStreams(tuples + tuples // 4, self.wanted.seed)
        return self._streams

    def _reference(self, window: int, steady: int) -> str:
        key = (window, steady)
        if key not in self._references:
            self._references[key] = self._of(window + steady).reference(*key)
        return self._references[key]


def _key(measure: str, point: Point | GatePoint, *more: Any) -> str:
    return " ".join(map(str, (measure, *point, *more)))
