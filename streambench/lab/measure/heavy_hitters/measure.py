"""All runs of a top-k bench: α by α, of each every point, interleaved and repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.heavy_hitters.points import Point
from streambench.lab.measure.heavy_hitters.run import checked
from streambench.lab.measure.heavy_hitters.settings import Settings
from streambench.lab.measure.heavy_hitters.zipf_streams import ExactCounts, Items, zipf_streams
from streambench.lab.measure.kept_records import KeptRecords, Report, measured
from streambench.lab.measure.time_limit import NO_LIMIT, TimeLimit
from streambench.lab.record.journal import Journal, Memory, Record
from streambench.lab.record.topk_summary import KIND


def topk_bench(
    wanted: Settings,
    report: Report = lambda what, fraction: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
    limit: TimeLimit = NO_LIMIT,
) -> dict[str, Any]:
    """Measure ``wanted``; return a result document. ``journal``, ``call``, ``limit`` as in ``kept_records``."""

    def runs(kept: KeptRecords) -> list[Record]:
        return TopkRuns(wanted, kept, report, limit).measure()

    return measured(KIND, wanted, runs, journal, call, limit=limit)


class TopkRuns:
    """The runs of a bench. Streams of one α are in memory at a time."""

    def __init__(self, wanted: Settings, kept: KeptRecords, report: Report, limit: TimeLimit = NO_LIMIT) -> None:
        self.wanted = wanted
        self.limit = limit
        self.points = wanted.points()
        self._kept, self._report = kept, report
        self._alpha: float | None = None
        self._streams: list[Items] = []
        self._exact: dict[int, ExactCounts] = {}

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in their order."""
        found: list[Record] = []
        for done, alpha in enumerate(self.wanted.alphas):
            self.limit.begin_part(len(self.wanted.alphas) - done)
            own = [point for point in self.points if point.alpha == alpha]
            for repeat, place in self.limit.while_there_is_time(interleaved(len(own), self.wanted.repeats)):
                found.append(self._run(own[place], repeat, len(found)))
        return found

    def _run(self, point: Point, repeat: int, done: int) -> Record:
        def run() -> Record:
            fraction = done / (len(self.points) * self.wanted.repeats)
            step = f"α {point.alpha:g}: "
            self._make_streams(point.alpha, lambda what: self._report(step + what, fraction))
            streams = self._streams[: point.threads]
            if point.threads not in self._exact:
                self._exact[point.threads] = ExactCounts(streams)
            self._report(f"{step}{point.title()}, repeat {repeat + 1} of {self.wanted.repeats}", fraction)
            return checked(point, streams, self._exact[point.threads], self.wanted, repeat)

        return self._kept.run(" ".join(map(str, (*point, repeat))), run)

    def _make_streams(self, alpha: float, tell: Callable[[str], None]) -> None:
        if alpha == self._alpha:
            return
        self._streams, self._exact = [], {}  # the last ones make room
        many = max(self.wanted.streams)
        self._streams = zipf_streams(
            alpha, many, self.wanted.items, self.wanted.seed, tell=lambda made: tell(f"{made} of {many} streams made")
        )
        self._alpha = alpha
