"""Heavy hitters on simulated cores: the designs' own threads on fibers, with times from runs of one thread here.

Nothing of a design is written again: which thread counts what, who waits for whom and what is delegated is the compiled
code's doing, on the real streams, and every answer is checked against exact counts. What takes time is drawn from what
was timed here:

- pieces of work in a run of one thread: an operation on an item, or counting and parting some hundred items;
- of designs that take a step for each item, whose pieces last as long as a look at the clock, only how they divide the
  time; how much it is, is taken from runs of one thread without clocks;
- what a query does with all threads' counters: in a run of all of them on fibers, in turn;
- lines that threads share, locks and waits: as the simulator's primitives say.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.lab.measure.heavy_hitters.answer import error_bound, wrong_answer
from streambench.lab.measure.heavy_hitters.designs import DESIGNS, Measured
from streambench.lab.measure.heavy_hitters.zipf_streams import ExactCounts, Items
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.shares import cores_and_lines
from streambench.pyx.heavy_hitters.hand_over import partitions_of
from streambench.pyx.heavy_hitters.stream_crew import StreamCrew
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.simulate.simulated_cores import SimulatedCores

BY_ITEM = ("locked", "hybrid")  # designs whose pieces are items that are counted; other told twins' are operations
OPERATIONS = ("rest", "hash", "summary", "queue", "element", "bucket", "merge")  # places of a twin's work
COUNTING, DIVIDING, LOOKING, MERGING = range(4)  # places of the others' work, as of summary_work.pxd
LINES = {
    "lock": "a lock's line",
    "chain": "a chain of the search structure",
    "element": "an element's line",
    "bucket": "a bucket's line",
    "minimum": "the minimum's line",
    "spare": "the line of spare numbers",
    "block": "a lane's line",
    "progress": "the lines that tell when a query is due",
}
COMMON = 1  # the place of a lock of what all count in, or of a partition
INTERRUPTED_NS = 20_000  # so long takes no operation on an item: the system had the core meanwhile
SOME = 500  # pieces of an operation that stand for what never happened in the profile run
RUNS = 5  # of one thread without clocks
OFTEN = 8  # times a stream whose pieces are of some hundred items is counted for the profile

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


def steps_by_item(design: Measured) -> bool:
    """Does a thread of the design take a step of its own for each item?"""
    return design.told


@dataclass(frozen=True)
class Streams:
    """``each``: what the threads count. ``before``: what has been counted by then, by nobody's time: a stream that is
    many times as long as these spends next to nothing of its time on its first items, which all are new. ``longer``: by
    which is measured what an item takes of one thread's time."""

    each: Sequence[Items]
    before: Items
    longer: Items

    def summary(self, design: Measured, counters: int, *, simulated: bool) -> Any:
        """A new one for as many threads, which has counted what came before."""
        summary = design.summary(counters, len(self.each), simulated=simulated)
        summary.add(self.before)
        return summary


def profile(design: Measured, counters: int, streams: Streams, machine: Machine, query_every: int = 0) -> Costs:
    """What pieces of work take at one thread of as many as there are streams."""
    threads, first = len(streams.each), streams.each[0]
    if steps_by_item(design):
        rows, pieces = _pieces(design, counters, streams, first)
        rest = _below(rows, INTERRUPTED_NS)
        plain = _seconds_without_clocks(design, counters, streams) / len(streams.longer)
        told = float(rest[1].sum()) * 1e-9 * pieces / len(rest[0]) / len(first)
        rows = rest[0], rest[1] * (plain / told if told > 0 else 1.0)
        return Costs(*(rows if design.design in BY_ITEM else _whichever_follows(rows)))
    rows, _ = _pieces(design, counters, streams, _often(first))
    if design.design == "fast" and threads > 1:  # a thread counts its own partition's items, whose table is small
        mine = np.concatenate([stream[partitions_of(stream, threads) == 0] for stream in streams.each])
        own, _ = _pieces(design, counters, streams, _often(mine[: len(first)]))
        counting = rows[0][:, 1] == COUNTING
        kept = own[0][:, 1] == COUNTING
        rows = tuple(np.concatenate([a[~counting], b[kept]]) for a, b in zip(rows, own, strict=True))  # type: ignore[assignment]
    if query_every == 0:
        return Costs(*rows)
    cores = machine.cores(Costs(*rows), timed=Work.GATHER)
    with cores:
        often = list(map(_often, streams.each))
        StreamCrew(streams.summary(design, counters, simulated=True), often, query_every).run()
    return Costs(*(np.concatenate(each) for each in zip(rows, _usual(cores.rows()), strict=True)))


def simulated(
    name: str,
    alpha: float,
    streams: Streams,
    machine: Machine,
    *,
    counters: int,
    epsilon: float,
    query_every: int,
    costs: Costs | None = None,
) -> dict[str, Any]:
    """A simulated run of the design of this ``name`` as a record: a thread for each stream, on a core of its own; fed
    with ``costs`` (None: of a profile run made now).

    One whose answer is wrong has no number.
    """
    design = DESIGNS[name]
    threads = len(streams.each)
    every = query_every if design.queried else 0
    summary = streams.summary(design, counters, simulated=True)
    crew = StreamCrew(summary, list(streams.each), every)
    cores = machine.cores(costs or profile(design, counters, streams, machine, every))
    with cores:
        crew.run()
    found = summary.snapshot()
    problem = wrong_answer(found, ExactCounts([streams.before, *streams.each]), epsilon)
    items = sum(map(len, streams.each))
    taken = {
        "seconds": crew.seconds,
        "updates_per_second": items / crew.seconds,
        "queries": crew.asked,
        "error_bound": error_bound(found),
        "profile": None,
        "statistics": of_streams(summary, items, len(streams.before)) if divides(design) else None,
        **where(cores, design),
    }
    return {
        **{"design": name, "threads": threads, "alpha": alpha, "failing": 0.0, "instrumented": False},
        "simulated": True,
        "epsilon": epsilon,
        "items": len(streams.each[0]),
        "before": len(streams.before),
        "query_every": every,
        "repeat": 0,
        **(taken if problem is None else dict.fromkeys(taken)),
        "problem": problem,
        "verified": problem is None,
        "core_round_trip_ns": None,
        "times_ns": machine.times.to_dict(),
    }


def divides(design: Measured) -> bool:
    """Does the design's twin tell of operations?"""
    return design.told and design.design not in BY_ITEM


def of_streams(summary: Any, items: int, before: int) -> dict[str, float]:
    """The statistics of what was counted on simulated cores: of the items before, nothing was delegated or queued."""
    found: dict[str, float] = summary.statistics()
    return {**found, "delegated share": found["delegated share"] * (before + items) / items}


def where(cores: SimulatedCores, design: Measured) -> dict[str, Any]:
    """What is taken for the largest part of the time, and the cores' shares of theirs."""
    found = cores.where()
    taken = cores_and_lines(found)
    taken |= {LINES.get(name, f"a line of {name}"): part for name, part in found["lines"].items()}
    lock = "a partition's lock" if design.design == "fast" else "the lock"
    taken[lock] = found["turns"].get(COMMON, 0.0)
    if design.queried:
        taken["queries"] = min(1.0, found["operators"][LOOKING] + found["operators"][MERGING])
    first, part = max(taken.items(), key=lambda item: item[1])
    return {
        "first": first,
        "taken": part,
        "lines": {name: share for name, share in found["lines"].items() if share > 0},
        "busy": found["workers"],
        "waited": found["waited"],
        "idle": found["idle"],
        "events": cores.events,
    }


def _often(stream: Items) -> Items:
    """The stream again and again: of few pieces nobody can tell which of them the system has interrupted."""
    return np.tile(stream, OFTEN)


def _pieces(design: Measured, counters: int, streams: Streams, stream: Items) -> tuple[Rows, int]:
    """What was kept of them, and how many there were."""
    core = MeasuredCore()
    crew = StreamCrew(streams.summary(design, counters, simulated=True), [stream])
    with core:
        crew.run()
    return _usual(core.rows()), core.pieces


def _usual(rows: Rows) -> Rows:
    """Without what the system has interrupted: ten times what is usual, and some microseconds, at least."""
    work, spans = rows
    usual = np.ones(len(work), dtype=np.bool_)
    for kind, place in {(row[0], row[1]) for row in work[:, :2].tolist()}:
        own = (work[:, 0] == kind) & (work[:, 1] == place)
        each = spans.sum(axis=1) / np.maximum(work[:, 2], 1)
        usual &= ~own | (each <= max(10 * float(np.median(each[own])), 1.0)) | (spans.sum(axis=1) < INTERRUPTED_NS)
    return work[usual], spans[usual]


def _below(rows: Rows, ns: float) -> Rows:
    below = rows[1].sum(axis=1) < ns
    return rows[0][below], rows[1][below]


def _seconds_without_clocks(design: Measured, counters: int, streams: Streams) -> float:
    """What one thread takes for the longer stream: the code as it is, nothing timed within."""
    found = []
    for _ in range(RUNS):
        summary = streams.summary(design, counters, simulated=False)
        begun = time.thread_time()  # without what others on the machine take meanwhile
        summary.add(streams.longer)
        found.append(time.thread_time() - begun)
    return median(found)


def _whichever_follows(rows: Rows) -> Rows:
    """The same, and some pieces of each operation as followed by whatever never followed it here.

    A twin's piece is of the kind that tells which operation follows it, since that tells what it has done.
    """
    work, spans = rows
    more: list[Rows] = [rows]
    for place in range(len(OPERATIONS)):
        own = work[:, 1] == place
        for following in range(len(OPERATIONS)):
            if own.any() and not (own & (work[:, 0] == following)).any():
                some = np.flatnonzero(own)[:: max(1, int(own.sum()) // SOME)]
                other = work[some]
                other[:, 0] = following
                more.append((other, spans[some]))
    return tuple(np.concatenate(each) for each in zip(*more, strict=True))  # type: ignore[return-value]
