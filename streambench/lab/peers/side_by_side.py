"""The contenders of one query: all are ready at the same time and run in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Protocol

from streambench.host import core_distance
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.kept_records import KeptRecords, Report
from streambench.lab.peers.contender import Contender, Start
from streambench.lab.peers.peer import Peer, PeerJob
from streambench.lab.peers.reference import References
from streambench.lab.record.journal import Record
from streambench.lab.workloads.laps import lasting

CALIBRATION = 0.2  # of what a run is to last: how long that is tried


class PeersTerms(Protocol):
    """What of a bench all contenders share: read-only, as its frozen dataclass has them."""

    @property
    def peers(self) -> Sequence[Peer]: ...
    @property
    def repeats(self) -> int: ...
    @property
    def workers(self) -> int: ...
    @property
    def min_seconds(self) -> float: ...
    @property
    def start(self) -> Start: ...


class SideBySide(ExitStack):
    """A context. Nobody is started before the first run that is not kept; whoever answered wrongly runs no more."""

    def __init__(self, query: str, data: Catalog, terms: PeersTerms, kept: KeptRecords) -> None:
        super().__init__()
        self._query, self._data, self._terms, self._kept = query, data, terms, kept
        self._out: set[int] = set()
        self._contenders: dict[int, Contender] = {}
        self._laps = 1
        self._distance: tuple[int, float | None] = (-1, None)  # the repeat before which it was taken, and the cores'

    def runs(self, tell: Report) -> list[Record]:
        """Measure what is not kept; return all runs in their order."""
        runs = []
        points = list(interleaved(len(self._terms.peers), self._terms.repeats))
        for done, (repeat, place) in enumerate(points):
            if place in self._out:
                continue
            name = self._terms.peers[place].name
            measure = partial(self._measured, repeat, place, lambda what, done=done: tell(what, done / len(points)))  # type: ignore[misc]
            runs.append(self._kept.run(f"{self._query} {name} {repeat}", measure))
            if not runs[-1]["verified"]:
                self._out.add(place)
        return runs

    def _measured(self, repeat: int, place: int, tell: Callable[[str], None]) -> Record:
        if not self._contenders:
            self._begin(tell)
        contender = self._contenders[place]
        if contender.problem is not None:
            return contender.record(repeat)
        if self._distance[0] != repeat:
            self._distance = repeat, core_distance.longest()
        tell(f"{contender.peer.name}, repeat {repeat + 1} of {self._terms.repeats}")
        return contender.run(repeat, self._laps, self._distance[1])

    def _begin(self, tell: Callable[[str], None]) -> None:
        """Start all that are still in, and warm them up."""
        tell("SQL's answer")
        references = References(self._query, self._data)
        references.over(1)
        job = PeerJob(self._query, self._data.path, self._terms.workers)
        for place, peer in enumerate(self._terms.peers):
            if place not in self._out:
                tell(f"{peer.name}, starting")
                self._contenders[place] = contender = Contender(peer, job, references)
                self.callback(contender.end)
                contender.begin(self._terms.start)
        tell("how many laps")
        self._laps = self._kept.step("laps", f"{self._query} laps", lambda: {"laps": self._lasting(references)})["laps"]
        references.over(self._laps)

    def _lasting(self, references: References) -> int:
        """The laps with which the fastest of those that replay lasts as long as is wanted, no more than fit."""
        seconds = self._terms.min_seconds
        replaying = [each for each in self._contenders.values() if each.peer.replays and each.problem is None]
        fastest = max((each.throughput(CALIBRATION * seconds) for each in replaying), default=0.0)
        return min(lasting(seconds, references.rows, fastest)[0], references.most_laps)
