"""Runs whose tuples arrive at a rate, through a gate, and how long after they were due their matches leave, in order.

An open loop: a tuple is due when its stream sends it, whether or not the join keeps up. A match's latency is that of
its later tuple, until the match leaves the merge.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.execution.marker_statistics import QUANTILES
from streambench.execution.resources import account
from streambench.execution.shares import shares
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.host.placement import cores_for
from streambench.host.ready_memory import make_ready
from streambench.lab.measure.joins.paper_streams import FEWEST_PAIRS_A_MATCH, PaperStreams, Rows
from streambench.lab.measure.joins.throughput import JoinPoint, balance, record
from streambench.pyx.join.arrivals import Arrivals
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

Times = npt.NDArray[np.int64]
Stream = tuple[int, Times, Times, Times]  # side, timestamps, rows, when they are due in ns
Watch = Callable[[JoinCrew, Arrivals], None]


def at_a_rate(
    point: JoinPoint, streams: PaperStreams, window: int, steady: int, rate: float, repeat: int, reference: str
) -> dict[str, Any]:
    """A run at ``rate`` tuples per second of each side, one physical stream a side, as a record."""
    rows = np.arange(window, window + steady)
    due = ((rows - window + 1) * (1e9 / rate)).astype(np.int64)
    make_ready()
    distance = core_distance.longest(point.threads) if point.threads > 1 else None
    definition = streams.definition(window, steady)
    numbers, digest = arriving(point, streams, definition, [(0, rows, rows, due), (1, rows, rows, due)])
    numbers |= {"rate": rate, "tuples_per_second": steady / numbers["seconds"]}
    return record("latency", point, window, steady, repeat, distance, digest, reference, numbers)


def arriving(
    point: JoinPoint,
    streams: PaperStreams,
    definition: Definition,
    physical: Sequence[Stream],
    watch: Watch | None = None,
    ts: tuple[Times, Times] | None = None,
) -> tuple[dict[str, Any], str]:
    """Run once; what it took, and the digest of its output. ``ts``: of each side, where they are not ticks."""
    arrivals = Arrivals(definition, physical)
    # What is kept of the matches is the bench's, not the join's: its pages shall be there, not wanted amid the run.
    expected = definition.pairs // FEWEST_PAIRS_A_MATCH
    cores = cores_for(point.threads)
    crew = JoinCrew(definition, point.tier, point.threads, cores=cores, arrivals=arrivals, expected=expected)
    with Meanwhile() as meanwhile:
        crew.run(None if watch is None else lambda _: watch(crew, arrivals))
    rows = crew.matches()
    begun = time.perf_counter()
    digest = streams.digest(rows, ts)
    output_seconds = time.perf_counter() - begun
    times = (streams.ticks, streams.ticks) if ts is None else ts
    seconds = crew.comparing_seconds
    waits = latencies(rows, times, physical, arrivals, crew.left_ns)
    return {
        "seconds": seconds,
        "comparisons": definition.pairs,
        "comparisons_per_second": definition.pairs / seconds,
        **balance(crew.compared),
        **account(crew.accounts, shares(crew.compared), sum(len(each[3]) for each in physical), meanwhile),
        "latency": quantiles(waits),
        "matches": len(rows[0]),
        "output_seconds": output_seconds,
        "unpinned": list(crew.unpinned),
    }, digest


def latencies(
    rows: Rows, times: tuple[Times, Times], physical: Sequence[Stream], arrivals: Arrivals, left_ns: Times
) -> npt.NDArray[np.float64]:
    """Of each match, in seconds."""
    left, right = rows
    of_left = times[0][left] > times[1][right]  # the later tuple; of equal times the right side's
    before = np.where(
        of_left,
        left + np.searchsorted(times[1], times[0][left], "left"),
        right + np.searchsorted(times[0], times[1][right], "right"),
    )
    leaves = left_ns[np.searchsorted(arrivals.ends, before, "right")] - arrivals.begun_ns
    due = [np.zeros(len(each), np.int64) for each in times]
    for side, _, own, when in physical:
        tuples = own >= 0
        due[side][own[tuples]] = when[tuples]
    waits: npt.NDArray[np.float64] = (leaves - np.where(of_left, due[0][left], due[1][right])) * 1e-9
    return waits


def quantiles(waits: npt.NDArray[np.float64]) -> dict[str, float] | None:
    """As ``marker_statistics.latency``, over all of them; None without any."""
    if len(waits) == 0:
        return None
    levels = np.quantile(waits, list(QUANTILES.values()), method="inverted_cdf")
    return {**dict(zip(QUANTILES, map(float, levels), strict=True)), "mean": float(waits.mean())}
