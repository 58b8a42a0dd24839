"""Gates on simulated cores: their own sources and readers on fibers, a thread each.

What takes time is drawn from runs of one thread here that is all sources and readers in turn: a read as it was timed;
an addition, which lasts no longer than a look at the clock, as what a run without clocks takes for all that is not
reading. Lines that sources and readers share, and waits, are as the simulator's primitives say.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.lab.measure.joins.gates import KINDS, GatePoint, record_of, times_of
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.profile import undisturbed
from streambench.lab.simulate.shares import cores_and_lines
from streambench.pyx.join.gate_traffic import GateTraffic as PlainTraffic
from streambench.pyx.join.gate_traffic import sum_of
from streambench.pyx.join.gate_traffic_told import GateTraffic
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.simulate.measured_core import MeasuredCore

MEASURE = "simulated gate"
TUPLES, LEAST = 40_000, 8_000  # of all sources of a run, of each at least: more than a gate has room for
COUNTS = (1, 2, 4, 8, 16, 24)  # of sources, and of readers: both together up to the paper's 48 threads
RUNS = 5  # without clocks
CAPACITY = 4096  # tuples of a source


def points(threads: int) -> list[GatePoint]:
    """Of both kinds, with so many threads at most."""
    return [
        GatePoint(kind, sources, readers)
        for kind in KINDS
        for readers in COUNTS
        for sources in COUNTS
        if sources + readers <= threads
    ]


def simulated_gate(point: GatePoint, machine: Machine, costs: Costs | None = None) -> dict[str, Any]:
    """A simulated run as a record, a core for each thread, fed with ``costs`` (None: of a profile run made now).

    Without numbers where a reader found another order.
    """
    times = simulated_times(point)
    cores = machine.cores(costs or profile(point, times))
    crew = GateTraffic(point.kind, times, point.readers, CAPACITY)
    with cores:
        crew.run()
    tuples = sum(map(len, times))
    where = cores.where()
    right = crew.sums == [sum_of(times)] * point.readers
    parts = {**cores_and_lines(where), "a gate's line": where["lines"]["gate"]}
    first = max(parts.items(), key=lambda each: each[1])
    taken = {
        "seconds": crew.seconds,
        "tuples_per_second": tuples / crew.seconds,
        "first": first[0],
        "taken": first[1],
        "busy": where["workers"],
        "waited": where["waited"],
        "idle": where["idle"],
        "events": cores.events,
    }
    return {
        "measure": MEASURE,
        "simulated": True,
        **record_of(point, tuples, 0, taken, verified=right),
        "core_round_trip_ns": None,
        "times_ns": machine.times.to_dict(),
    }


def simulated_times(point: GatePoint) -> list[npt.NDArray[np.int64]]:
    """Of each source's tuples in a simulated run."""
    return times_of(point.sources, max(TUPLES, LEAST * point.sources))


def profile(point: GatePoint, times: list[npt.NDArray[np.int64]]) -> Costs:
    """What a thread takes to add a tuple, and to read some."""
    core = MeasuredCore()
    with core:
        GateTraffic(point.kind, times, 1, CAPACITY, alone=True).run()
    work, spans = core.rows()
    reads = undisturbed(work, spans) & (work[:, 0] == Work.APPLY)
    tuples = sum(map(len, times))
    reading = float(spans[reads].sum()) * tuples / max(1, int(work[reads, 2].sum()))
    adding = max(0.0, _seconds_without_clocks(point, times) * 1e9 - reading) / tuples
    added = np.array([[Work.FILL, 0, 1, 0]], dtype=np.int64)
    return Costs(np.concatenate([work[reads], added]), np.concatenate([spans[reads], [[0.0, adding]]]))


def _seconds_without_clocks(point: GatePoint, times: list[Any]) -> float:
    found = []
    for _ in range(RUNS):
        crew = PlainTraffic(point.kind, times, 1, CAPACITY, alone=True)
        begun = time.process_time()  # without what others on the machine take meanwhile
        crew.run()
        found.append(time.process_time() - begun)
    return median(found)
