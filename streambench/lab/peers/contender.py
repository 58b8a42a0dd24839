"""One peer at one query: started, warmed up, run again and again, every run checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.peers.peer import Peer, PeerJob, Ran
from streambench.lab.peers.process import PeerError, PeerProcess
from streambench.lab.peers.reference import References
from streambench.lab.workloads.laps import within

Start = Callable[[Peer, PeerJob], PeerProcess]
NUMBERS = ("seconds", "pass_seconds", "throughput", "latency", "peak_memory", "core_round_trip_ns")


class Contender:
    """``peer`` over the query of ``job``. ``problem``: why it takes no part in the repeats, None where it does."""

    def __init__(self, peer: Peer, job: PeerJob, references: References) -> None:
        self.peer, self._job, self._references = peer, job, references
        self._started: PeerProcess | None = None
        self._first_seconds: float | None = None
        self.problem: str | None = None

    def begin(self, start: Start) -> None:
        """Start it, and run it once to warm it up."""
        try:
            self.peer.build()
            self._started = start(self.peer, self._job)
            ran = self._checked(1)
        except StreambenchError as problem:
            self.problem = str(problem)
            return
        self._first_seconds = _seconds(ran)

    def throughput(self, seconds: float) -> float:
        """Of a run of about so many seconds, which is not recorded: how many laps a longer one takes depends on it."""
        most = self._references.most_laps
        laps = min(2, most)  # one is followed by the answer, which may take longer than the stream
        try:
            while (took := _seconds(self._run(laps))) < seconds / 2 and laps < most:
                laps = min(most, max(laps + 1, within(laps * seconds / took)))
        except PeerError as problem:
            self.problem = str(problem)
            return 0.0
        return laps * self._references.rows / took

    def run(self, repeat: int, laps: int, core_round_trip_ns: float | None) -> dict[str, Any]:
        """The record of one pass over the data and, of a peer that replays, of a run over so many laps."""
        laps = laps if self.peer.replays else 1
        try:
            ran = once = self._checked(1)
            if laps > 1:
                ran = self._checked(laps)
        except PeerError as problem:
            self.problem = str(problem)
            return self.record(repeat, laps)
        assert self._started is not None
        return self.record(repeat, laps) | {
            "seconds": _seconds(ran),
            "pass_seconds": _seconds(once),
            "throughput": laps * self._references.rows / _seconds(ran),
            "latency": ran.latency,
            "peak_memory": self._started.peak_memory(),
            "core_round_trip_ns": core_round_trip_ns,
        }

    def record(self, repeat: int, laps: int = 1) -> dict[str, Any]:
        """What is known of a repeat before it has a number."""
        return {
            "query": self._job.query,
            "peer": self.peer.name,
            "version": self.peer.version,
            "configuration": self.peer.configure(self._job),
            "streams": self.peer.streams,
            "order": self.peer.order,
            "guarantees": self.peer.guarantees,
            "workers": self._job.workers if self.peer.parallel else 1,
            "repeat": repeat,
            "laps": laps,
            "tuples": laps * self._references.rows,
            "start_seconds": self._started and self._started.start_seconds,
            "first_seconds": self._first_seconds,
            **dict.fromkeys(NUMBERS),
            "problem": self.problem,
            "verified": self.problem is None,
        }

    def end(self) -> None:
        """End its process."""
        if self._started is not None:
            self._started.close()

    def _checked(self, laps: int) -> Ran:
        """A run whose answer is right. Raises PeerError for any other."""
        ran = self._run(laps)
        problem = self._references.over(laps).problem(self.peer.order, ran)
        if problem is not None:
            raise PeerError(problem)
        return ran

    def _run(self, laps: int) -> Ran:
        assert self._started is not None
        return self._started.run(laps)


def _seconds(ran: Ran) -> float:
    assert ran.seconds is not None  # its process has seen to that
    return ran.seconds
