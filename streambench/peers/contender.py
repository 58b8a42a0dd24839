"""One peer at one query: started, warmed up, run again and again, every run checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from streambench.peers.peer import Asked, Peer, Ran
from streambench.peers.process import PeerError
from streambench.peers.reference import Reference


class Started(Protocol):
    """A peer that is ready, see `PeerProcess`."""

    start_seconds: float

    def run(self) -> Ran:
        """Execute the query once. Raises PeerError where it fails."""

    def peak_memory(self) -> int:
        """Bytes so far."""

    def close(self) -> None:
        """End it."""


Start = Callable[[Peer, Asked], Started]


class Contender:
    """``peer`` over the query of ``asked``. ``problem``: why it takes no part in the repeats, None where it does."""

    def __init__(self, peer: Peer, asked: Asked, reference: Reference) -> None:
        self.peer, self._asked, self._reference = peer, asked, reference
        self._started: Started | None = None
        self._first_seconds: float | None = None
        self.problem: str | None = None

    def begin(self, start: Start) -> None:
        """Start it, and run it once to warm it up."""
        try:
            self._started = start(self.peer, self._asked)
            ran = self._started.run()
        except PeerError as problem:
            self.problem = str(problem)
            return
        self._first_seconds = ran.seconds
        self.problem = self._reference.problem(self.peer.order, ran)

    def run(self, repeat: int, core_round_trip_ns: float | None) -> dict[str, Any]:
        """The record of one run."""
        assert self._started is not None
        try:
            ran = self._started.run()
        except PeerError as failure:
            self.problem = str(failure)
            return self.record(repeat, self.problem)
        problem = self._reference.problem(self.peer.order, ran)
        if problem is not None:
            return self.record(repeat, problem)
        assert ran.seconds is not None
        return self.record(repeat, None) | {
            "seconds": ran.seconds,
            "throughput": self._reference.tuples / ran.seconds,
            "latency": ran.latency,
            "peak_memory": self._started.peak_memory(),
            "core_round_trip_ns": core_round_trip_ns,
        }

    def record(self, repeat: int, problem: str | None) -> dict[str, Any]:
        """What is known of a run before it has a number."""
        return {
            "query": self._reference.query,
            "peer": self.peer.name,
            "version": self.peer.version,
            "configuration": self.peer.configure(self._asked),
            "streams": self.peer.streams,
            "order": self.peer.order,
            "guarantees": self.peer.guarantees,
            "workers": self._asked.workers if self.peer.parallel else 1,
            "repeat": repeat,
            "tuples": self._reference.tuples,
            "start_seconds": self._started and self._started.start_seconds,
            "first_seconds": self._first_seconds,
            "seconds": None,
            "throughput": None,
            "latency": None,
            "peak_memory": None,
            "core_round_trip_ns": None,
            "problem": problem,
            "verified": problem is None,
        }

    def end(self) -> None:
        """End its process."""
        if self._started is not None:
            self._started.close()
