"""All runs of a top-k bench: α by α, of each every point, interleaved and repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from streambench.host import interrupts
from streambench.host.ready_memory import forget_peak
from streambench.measure.checked_run import interleaved
from streambench.measure.heavy_hitters.points import Point
from streambench.measure.heavy_hitters.run import checked
from streambench.measure.heavy_hitters.settings import Settings
from streambench.measure.heavy_hitters.zipf_streams import ExactCounts, Items, zipf_streams
from streambench.record import journaled_document
from streambench.record.journal import Journal, Memory, Record
from streambench.record.topk_summary import KIND

Report = Callable[[str, float], None]
"""Called with what is being done and the fraction of the whole that is done."""


def topk_bench(
    wanted: Settings,
    report: Report = lambda what, fraction: None,
    *,
    journal: Journal | Memory | None = None,
    call: Record | None = None,
) -> dict[str, Any]:
    """Measure ``wanted`` and return a result document (see ``streambench.record.results``).

    ``journal``: what is measured goes there at once, and what is there already is not measured again. ``call``: the
    record with which this call begins; left out, the machine is looked at now. Raises StreambenchError where the
    journal cannot be written.
    """
    journal = journal or Memory()
    journal.append(call or journaled_document.begin())
    runs = TopkRuns(wanted, journal, report).measure()
    journal.append(journaled_document.end())
    return journaled_document.document(KIND, wanted.plain(), runs, journal.records)


class TopkRuns:
    """The runs of a bench, those of earlier calls first. Streams of one α are in memory at a time."""

    def __init__(self, wanted: Settings, journal: Journal | Memory, report: Report) -> None:
        self.wanted = wanted
        self.points = wanted.points()
        self._journal, self._report = journal, report
        self._alpha: float | None = None
        self._streams: list[Items] = []
        self._exact: dict[int, ExactCounts] = {}
        self._kept: dict[str, Record] = {each["key"]: each["run"] for each in journal.records if each["step"] == "run"}

    def measure(self) -> list[Record]:
        """Measure what has not been measured yet; return all runs in their order."""
        forget_peak()
        found: list[Record] = []
        for alpha in self.wanted.alphas:
            own = [point for point in self.points if point.alpha == alpha]
            for repeat, place in interleaved(len(own), self.wanted.repeats):
                found.append(self._run(own[place], repeat, len(found)))
        return found

    def _run(self, point: Point, repeat: int, done: int) -> Record:
        key = " ".join(map(str, (*point, repeat)))
        if key not in self._kept:
            fraction = done / (len(self.points) * self.wanted.repeats)
            step = f"α {point.alpha:g}: "
            self._make_streams(point.alpha, lambda what: self._report(step + what, fraction))
            streams = self._streams[: point.threads]
            if point.threads not in self._exact:
                self._exact[point.threads] = ExactCounts(streams)
            self._report(f"{step}{point.title()}, repeat {repeat + 1} of {self.wanted.repeats}", fraction)
            run = checked(point, streams, self._exact[point.threads], self.wanted, repeat)
            with interrupts.held():  # what is on disk is kept: a message that counts must not say otherwise
                self._journal.append({"step": "run", "key": key, "run": run})
                self._kept[key] = run
        return self._kept[key]

    def _make_streams(self, alpha: float, tell: Callable[[str], None]) -> None:
        if alpha == self._alpha:
            return
        self._streams, self._exact = [], {}  # the last ones make room
        many = max(self.wanted.streams)
        self._streams = zipf_streams(
            alpha, many, self.wanted.items, self.wanted.seed, tell=lambda made: tell(f"{made} of {many} streams made")
        )
        self._alpha = alpha


def runs_kept(records: Sequence[Record]) -> int:
    """How many runs a journal holds."""
    return sum(each["step"] == "run" for each in records)
