"""A summary's threads on real cores, their profile, the same again, and on simulated cores."""

from __future__ import annotations

from collections import deque

from streambench.lab.measure.heavy_hitters.simulation import SimulatedPoint, Simulation
from streambench.lab.measure.validation.beside_profile import Beside
from streambench.lab.measure.validation.cases import SummaryCase
from streambench.lab.record.journal import Record
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times, Watched


def compare_summary(
    case: SummaryCase, times: Times, seconds: float, watched: deque[Watched] | None = None
) -> tuple[Record, Beside, Record, Times]:
    """What is compared, both real runs, of about so many seconds, what is simulated, and by which times; as
    ``compared`` takes them. ``watched``: as of `Beside`."""
    point = SimulatedPoint(case.design, case.alpha, case.threads)
    runs = Simulation(Machine(times), most=case.threads, beside_real=True, seconds=seconds)
    beside, made, now = runs.compare(point, watched)
    settings = {"query": case.workload, "engine": "heavy-hitters", "workers": case.threads, "alpha": case.alpha}
    return settings, beside, {**made, "throughput": made["updates_per_second"], "latency": None}, now.times
