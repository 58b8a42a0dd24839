"""How long a sweep has still to go, from what its runs have taken so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streambench.lab.measure.sweep.schedule import Schedule, SweepPoint, preparing_seconds, run_seconds


@dataclass
class _Taken:
    """What the runs of a configuration have taken."""

    seconds: float = 0.0
    runs: int = 0


class TimeLeft:
    """What was measured of a configuration stands for its other repeats; elsewhere the schedule's estimate is scaled by
    how far estimates have been wrong so far.

    ``points``: those that are to be measured. ``overhead``: seconds that are expected to go by between two runs.
    """

    def __init__(self, schedule: Schedule, points: Iterable[SweepPoint], overhead: float) -> None:
        self._schedule = schedule
        self._overhead = overhead
        self._missing = Counter((point.comparison, point.configuration) for point in points)
        self._planned: dict[tuple[int, int], float] = {}
        self._unprepared: dict[int, float] = {}
        for number in {number for number, _ in self._missing}:
            self._expect(number, schedule.seconds)
        self._taken: dict[tuple[int, int], _Taken] = {}
        self._expected = self._found = 0.0

    def prepare(self, comparison: int, seconds: float) -> None:
        """The runs of a comparison and of those after it are to last ``seconds``."""
        for number in {number for number, _ in self._missing if number >= comparison}:
            self._expect(number, seconds)

    def begin(self, comparison: int, arriving: Sequence[float]) -> None:
        """A comparison is prepared. ``arriving``: for how many seconds each configuration's stream comes in, 0 where it
        has no rate: at a low one a single lap takes longer than a run is to last."""
        del self._unprepared[comparison]
        for place, seconds in enumerate(arriving):
            self._planned[comparison, place] = max(self._planned[comparison, place], seconds + self._overhead)

    def took(self, point: SweepPoint, seconds: float) -> None:
        """A run, with all that goes with it, has taken ``seconds``."""
        key = (point.comparison, point.configuration)
        self._missing[key] -= 1
        total = self._taken.setdefault(key, _Taken())
        total.seconds += seconds
        total.runs += 1
        self._expected += self._planned[key]
        self._found += seconds

    @property
    def scale(self) -> float:
        """How many times longer runs have taken than they were expected to."""
        return self._found / self._expected if self._expected else 1.0

    def seconds(self) -> float:
        """What the runs that are missing will take, and what has to be prepared for them."""
        unknown, known = sum(self._unprepared.values()), 0.0
        for key, runs in self._missing.items():
            total = self._taken.get(key)
            if total is None:
                unknown += runs * self._planned[key]
            else:
                known += runs * total.seconds / total.runs
        return known + self.scale * unknown

    def _expect(self, number: int, seconds: float) -> None:
        comparison, cores = self._schedule.comparisons[number], self._schedule.cores
        self._unprepared[number] = preparing_seconds(comparison, seconds, cores)
        for place, each in enumerate(run_seconds(comparison, seconds, cores)):
            self._planned[number, place] = each + self._overhead
