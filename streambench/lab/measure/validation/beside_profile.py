"""The real runs beside a profile run, and the machine they all ran on: how far its cores were, and who took them.

A host moves virtual cores. A line's round trip then takes five times as long, or a fifth, for some seconds, and what
ran on cores that far from each other ran on another machine than the one that is simulated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median

from streambench.errors import StreambenchError
from streambench.host import core_distance
from streambench.lab.record.journal import Record
from streambench.lab.simulate.times import Times, Watched, stream_line_now, watch

WATCHED = 20  # times, of 0.2 s each, for which interruptions are remembered
NEAR = 1.5  # the distance is the same where one round trip takes up to so many times what another does


class Beside:
    """Real runs, to be added to ``real``, before and after a profile run. ``known``: what else the machine takes.

    ``watched``: of the comparisons before, is added to. Long interruptions are rare: one comparison's watching finds
    none, or one that its runs had not.

    Where there are several ``workers`` and the distance cannot be measured, StreambenchError is raised: they ran on one
    core, and the machine that is simulated has more.
    """

    def __init__(self, known: Times, workers: int, watched: deque[Watched] | None = None) -> None:
        self._known, self._workers = known, workers
        self._watched = deque[Watched](maxlen=WATCHED) if watched is None else watched
        self._watched.append(watch())
        self._of_profile: list[float] = []
        self._stream_lines: list[float] = []
        self.real: list[Record] = []

    @contextmanager
    def profiled(self) -> Iterator[None]:
        """The profile run is made within."""
        self._look()
        yield
        self._look()

    def _look(self) -> None:
        if self._workers == 1:
            return
        distance = core_distance.longest(self._workers)
        if distance is None:
            raise StreambenchError(
                f"the cores' distance could not be measured beside runs of {self._workers} workers: this process has "
                "one core left, or may start no threads, and what is simulated has more."
            )
        self._of_profile.append(distance)
        self._stream_lines.append(stream_line_now() or self._known.stream_line)

    @property
    def round_trips(self) -> list[float]:
        """Nanoseconds of a line's, in the order in which they were measured; none for one worker."""
        before, after = self.real[:1], self.real[1:]
        return [*_around(before), *self._of_profile, *_around(after)]

    @property
    def alike(self) -> list[Record]:
        """The real runs that had the cores where the profile run had them; all if there is none."""
        return self._alike or self.real

    @property
    def n_alike(self) -> int:
        """How many real runs had the cores where the profile run had them: 0 where all count for want of any."""
        return len(self._alike)

    @property
    def _alike(self) -> list[Record]:
        return [run for run in self.real if self._known_of(run) and _near([*self._of_profile, *_around([run])])]

    @property
    def stayed(self) -> bool:
        """Did the cores stay where they were from the first run to the last?"""
        return all(map(self._known_of, self.real)) and _near(self.round_trips)

    def _known_of(self, run: Record) -> bool:
        """Is it known how far apart the cores were? Of one worker there is nothing to know."""
        return self._workers == 1 or bool(_around([run]))

    def times(self, *, interrupted: bool = True) -> Times:
        """What the machine took: the distance in the runs that count, and interruptions lately, up to now."""
        distances = [*self._of_profile, *_around(self.alike)]
        times = self._known
        if self._of_profile:
            times = times.beside(median(distances) / 2, median(self._stream_lines))
        if not interrupted:
            return times
        self._watched.append(watch())
        return times.interrupted(*self._watched)


def _around(runs: Sequence[Record]) -> list[float]:
    """Round trips before and after real runs."""
    before_and_after = [
        (run.get("core_round_trip_ns"), run.get("host", {}).get("core_round_trip_ns_after")) for run in runs
    ]
    return [each for both in before_and_after for each in both if each]


def _near(round_trips: Sequence[float]) -> bool:
    return not round_trips or max(round_trips) <= NEAR * min(round_trips)
