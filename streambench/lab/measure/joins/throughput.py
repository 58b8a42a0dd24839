"""One run at full speed: windows are filled, then so many tuples of each side are compared, as fast as possible."""

from __future__ import annotations

import time
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from streambench.execution.resources import account
from streambench.execution.shares import shares
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.host.ready_memory import make_ready
from streambench.lab.measure.joins.crews import JOINS
from streambench.lab.measure.joins.paper_streams import PaperStreams


class JoinPoint(NamedTuple):
    """What is measured; ``window``: seconds of event time."""

    join: str
    tier: str
    threads: int
    window: float

    def title(self) -> str:
        """``simd, 2 threads, 300 s``."""
        of = "" if self.join == "scale" else f"{self.join}, "
        return f"{of}{self.tier}, {self.threads} thread{'s' * (self.threads > 1)}, {self.window:g} s"


def full_speed(point: JoinPoint, streams: PaperStreams, window: int, steady: int) -> tuple[Any, dict[str, Any]]:
    """Run once; the crew and what it took. ``steady``: tuples of each side after the windows."""
    definition = streams.definition(window, steady)
    crew = JOINS[point.join].make(definition, point.tier, point.threads)
    with Meanwhile() as meanwhile:
        crew.run()
    seconds = crew.comparing_seconds
    rate = definition.pairs / seconds
    numbers = {
        "seconds": seconds,
        "comparisons": definition.pairs,
        "comparisons_per_second": rate,
        "tuples_per_second": rate / (2 * window + 1),  # the pairs that a tuple of each side makes with full windows
        **balance(crew.compared),
        **account(crew.accounts, shares(crew.compared), 2 * (window + steady), meanwhile),
        "unpinned": list(crew.unpinned),
    }
    return crew, numbers


def checked(
    point: JoinPoint, streams: PaperStreams, window: int, steady: int, repeat: int, reference: str
) -> dict[str, Any]:
    """A measured run as a record. One whose output is not the ``reference`` has no number."""
    make_ready()
    distance = core_distance.longest(point.threads) if point.threads > 1 else None
    crew, numbers = full_speed(point, streams, window, steady)
    rows = crew.matches()
    begun = time.perf_counter()
    digest = streams.digest(rows)
    output_seconds = time.perf_counter() - begun
    numbers |= {
        "latency": None,
        "rate": None,
        "matches": len(rows[0]),
        "output_seconds": output_seconds,
    }
    return record("throughput", point, window, steady, repeat, distance, digest, reference, numbers)


def record(
    measure: str,
    point: JoinPoint,
    window: int,
    steady: int,
    repeat: int,
    distance: float | None,
    digest: str,
    reference: str,
    numbers: dict[str, Any],
) -> dict[str, Any]:
    """A run as plain values; without numbers where its digest is wrong."""
    right = digest == reference
    return {
        "measure": measure,
        "join": point.join,
        "tier": point.tier,
        "threads": point.threads,
        "window_seconds": point.window,
        "window_tuples": window,
        "tuples": steady,
        "repeat": repeat,
        **(numbers if right else dict.fromkeys(numbers)),
        "digest": digest,
        "reference": reference,
        "verified": right,
        "core_round_trip_ns": distance,
        "unpinned": numbers["unpinned"],
    }


def balance(compared: list[int]) -> dict[str, Any]:
    """Pairs that each thread has looked at, and their standard deviation in per cent of the mean."""
    mean = fmean(compared)
    return {"per_thread": compared, "per_thread_deviation": 100 * pstdev(compared) / mean if mean else 0.0}
