"""What a ScaleGate takes and gives in a second over its sources and readers, a thread each (paper 001, figure 7a)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from streambench.execution.resources import account
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.host.ready_memory import make_ready
from streambench.lab.measure.joins.gate_traffic import GateTraffic, sum_of

KINDS = ("ring", "skip-list")
COUNTS = (1, 2, 4)  # of sources, and of readers
PER_SECOND = {"ring": 4_000_000, "skip-list": 1_000_000}  # tuples of a run, of its usual length


class GatePoint(NamedTuple):
    """``kind``: of the gate."""

    kind: str
    sources: int
    readers: int

    def title(self) -> str:
        """``ring, 2 sources, 1 reader``."""
        return f"{self.kind}, {_many(self.sources, 'source')}, {_many(self.readers, 'reader')}"


POINTS = tuple(GatePoint(kind, sources, readers) for kind in KINDS for readers in COUNTS for sources in COUNTS)


def traffic(point: GatePoint, seconds: float, repeat: int) -> dict[str, Any]:
    """A run of about so many seconds as a record: tuples that are added and, by each reader, read in a second."""
    times = times_of(point.sources, max(64, round(seconds * PER_SECOND[point.kind])))
    make_ready()
    distance = core_distance.longest(point.sources + point.readers)
    crew = GateTraffic(point.kind, times, point.readers)
    with Meanwhile() as meanwhile:
        crew.run()
    tuples = sum(map(len, times))
    right = crew.sums == [sum_of(times)] * point.readers
    numbers = {
        "seconds": crew.seconds,
        "tuples_per_second": tuples / crew.seconds,
        **account(crew.accounts, (), tuples, meanwhile),  # no shares: to add and to read are different work
    }
    return {
        "measure": "gate",
        "join": "gate",
        "tier": point.kind,
        "threads": point.sources + point.readers,
        "window_seconds": None,
        "sources": point.sources,
        "readers": point.readers,
        "tuples": tuples,
        "repeat": repeat,
        **(numbers if right else dict.fromkeys(numbers)),
        "verified": right,
        "core_round_trip_ns": distance,
    }


def times_of(sources: int, tuples: int) -> list[npt.NDArray[np.int64]]:
    """Of each source as many tuples, which alternate at random in time."""
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(sources), max(1, tuples // sources)))
    return [np.flatnonzero(order == source).astype(np.int64) for source in range(sources)]


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count > 1)}"
