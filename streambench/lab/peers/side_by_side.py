"""The contenders of one query: all are ready at the same time and run in turn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

from streambench.host import core_distance
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.kept_records import KeptRecords
from streambench.lab.peers.contender import Contender, Start
from streambench.lab.peers.peer import Asked
from streambench.lab.peers.reference import References
from streambench.lab.peers.settings import Settings
from streambench.lab.record.journal import Record
from streambench.lab.workloads.laps import lasting

CALIBRATION = 0.2  # of what a run is to last: how long that is tried

Tell = Callable[[str, int], None]
"""Called with what is being done, and how many of the query's runs are done."""


class SideBySide:
    """A context. Nobody is started before the first run that is not kept; whoever answered wrongly runs no more."""

    def __init__(self, query: str, settings: Settings, kept: KeptRecords, start: Start) -> None:
        self._query, self._settings, self._kept, self._start = query, settings, kept, start
        self._points = list(interleaved(len(settings.peers), settings.repeats))
        self._out: set[int] = set()
        self._contenders: dict[int, Contender] = {}
        self._laps = 1
        self.ready = False  # all are started and warm
        self._distance: tuple[int, float | None] = (-1, None)  # the repeat before which it was taken, and the cores'
        self._stack = ExitStack()

    def __enter__(self) -> SideBySide:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def runs(self, tell: Tell) -> list[Record]:
        """Measure what is not kept; return all runs in their order."""
        runs = []
        for done, (repeat, place) in enumerate(self._points):
            if place in self._out:
                continue
            name = self._settings.peers[place].name
            measure = functools.partial(self._measured, done, repeat, place, tell)
            runs.append(self._kept.run(f"{self._query} {name} {repeat}", measure))
            if not runs[-1]["verified"]:
                self._out.add(place)
        return runs

    def whole_seconds(self) -> float:
        """What all of it takes: each one's start, its first run and its repeats."""
        repeats = self._settings.repeats
        return sum(each.begin_seconds + repeats * each.repeat_seconds for each in self._contenders.values())

    def seconds_left(self, done: int) -> float:
        """What the runs after so many take, if each is like the last one of its contender."""
        left = (self._contenders.get(place) for _, place in self._points[done:])
        return sum(each.repeat_seconds for each in left if each is not None and each.problem is None)

    def _measured(self, done: int, repeat: int, place: int, tell: Tell) -> Record:
        if not self.ready:
            self._begin(done, tell)
        contender = self._contenders[place]
        if contender.problem is not None:
            return contender.record(repeat)
        if self._distance[0] != repeat:
            self._distance = repeat, core_distance.longest()
        tell(f"{contender.peer.name}, repeat {repeat + 1} of {self._settings.repeats}", done)
        return contender.run(repeat, self._laps, self._distance[1])

    def _begin(self, done: int, tell: Tell) -> None:
        """Start all that are still in, and warm them up."""
        tell("SQL's answer", done)
        references = References(self._query, Catalog.open(self._settings.data))
        references.over(1)
        asked = Asked(self._query, self._settings.data, self._settings.workers)
        for place, peer in enumerate(self._settings.peers):
            if place not in self._out:
                tell(f"{peer.name}, starting", done)
                contender = Contender(peer, asked, references)
                self._stack.callback(contender.end)
                contender.begin(self._start)
                self._contenders[place] = contender
        tell("how many laps", done)
        self._laps = self._kept.step("laps", f"{self._query} laps", lambda: {"laps": self._lasting(references)})["laps"]
        references.over(self._laps)
        self.ready = True

    def _lasting(self, references: References) -> int:
        """The laps with which the fastest of those that replay lasts as long as is wanted, no more than fit."""
        seconds = self._settings.min_seconds
        replaying = [each for each in self._contenders.values() if each.peer.replays and each.problem is None]
        fastest = max((each.throughput(CALIBRATION * seconds) for each in replaying), default=0.0)
        return min(lasting(seconds, references.rows, fastest)[0], references.most_laps)
