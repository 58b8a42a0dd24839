"""A gate's sources and readers on real threads, their profile, the same again, and on simulated cores."""

from __future__ import annotations

from collections import deque

from streambench.lab.measure.joins.gates import PER_SECOND, traffic
from streambench.lab.measure.joins.simulated_gates import profile, simulated_gate, simulated_times
from streambench.lab.measure.validation.beside_profile import Beside
from streambench.lab.measure.validation.beside_real import compare
from streambench.lab.measure.validation.cases import GateCase
from streambench.lab.record.journal import Record
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times, Watched

FIRST = 0.02  # of a run's usual length, by which is found how many tuples a run takes
MOST = 8_000_000  # tuples: they are made in random order, which takes longer than the run


def compare_gate(
    case: GateCase, times: Times, seconds: float, watched: deque[Watched] | None = None
) -> tuple[Record, Beside, Record, Times]:
    """What is compared, both real runs, of about so many seconds, what is simulated, and by which times; as
    ``compared`` takes them. ``watched``: as of `Beside`."""
    point, threads = case.point, case.point.sources + case.point.readers
    first = traffic(point, FIRST, 0)
    usual = PER_SECOND[point.kind]
    lasting = min(MOST, seconds * (first["tuples_per_second"] or usual)) / usual
    beside, made, now = compare(
        Machine(times),
        threads,
        "tuples_per_second",
        lambda repeat: traffic(point, lasting, repeat),
        lambda: profile(point, simulated_times(point)),
        lambda machine, costs: simulated_gate(point, machine, costs),
        watched,
        interrupted=False,
    )
    settings = {"query": case.workload, "engine": "gates", "workers": threads}
    settings |= {"sources": point.sources, "readers": point.readers}
    return settings, beside, {**made, "throughput": made["tuples_per_second"], "latency": None}, now.times
