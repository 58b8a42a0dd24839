"""Every point of a join on simulated cores: the rate that it sustains, its balance and, if wanted, its latency."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from streambench.lab.measure.joins.crews import JOINS
from streambench.lab.measure.joins.gates import GatePoint, traffic
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.simulated import at_a_rate, at_full_speed, profile_point
from streambench.lab.measure.joins.simulated_curve import Curve, curves_of
from streambench.lab.measure.joins.simulated_gates import profile as gate_profile
from streambench.lab.measure.joins.simulated_gates import simulated_gate, simulated_times
from streambench.lab.measure.joins.throughput import Point, checked
from streambench.lab.measure.validation.beside_profile import WATCHED
from streambench.lab.measure.validation.beside_real import beside_real as beside
from streambench.lab.measure.validation.beside_real import fits_here
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Watched

CORES = (1, 2, 4, 8, 16, 32, 48)  # the paper's first machine has 48
GATE_SECONDS = 0.2  # of a real run of a gate
LOAD = 0.8  # of the rate that is sustained, at which latency is simulated

Report = Callable[[str, float], None]
"""Called with what is being done, and which part of all is done, from 0 to 1."""


def points(joins: Sequence[str], tiers: Sequence[str], windows: Sequence[float], cores: Sequence[int]) -> list[Point]:
    """By join, tier, window and cores; of a join those of the tiers that it has."""
    return [
        Point(join, tier, each, window)
        for join in joins
        for tier in tiers
        if tier in JOINS[join].tiers
        for window in windows
        for each in cores
    ]


def simulate_join(
    wanted: Sequence[Point],
    machine: Machine,
    *,
    most_tuples: int,
    seed: int = 1,
    latency: bool = False,
    gates: Sequence[GatePoint] = (),
    beside_real: bool = False,
    report: Report = lambda what, fraction: None,
) -> list[dict[str, Any]]:
    """A run at full speed of each point and, where ``latency`` and the join has a gate, one at `LOAD` of its rate; then
    one of each gate.

    ``seed``: of the tuples. ``beside_real``: real runs before and after each, on as many cores as there are.
    """
    found = []
    watched = deque[Watched](
        maxlen=WATCHED
    )  # interruptions are rare: one comparison's watching finds none, or too many
    curves = curves_of(wanted, machine, most_tuples, seed)
    many = len(wanted) + len(gates)
    for place, point in enumerate(wanted):
        report(f"simulating {point.title()}", place / many)
        found += simulated_point(point, curves[point], latency=latency, beside_real=beside_real, watched=watched)
    for place, gate in enumerate(gates, len(wanted)):
        report(f"simulating {gate.title()}", place / many)
        threads = gate.sources + gate.readers
        if not (beside_real and fits_here(threads)):
            found.append(simulated_gate(gate, machine))
            continue
        real = partial(traffic, gate, GATE_SECONDS)
        feed = partial(gate_profile, gate, simulated_times(gate))
        simulate = partial(simulated_gate, gate)
        found.append(beside(machine, threads, "tuples_per_second", real, feed, simulate, interrupted=False))
    return found


def simulated_point(
    point: Point,
    curve: Curve,
    *,
    latency: bool,
    load: float = LOAD,
    beside_real: bool = False,
    watched: deque[Watched] | None = None,
) -> list[dict[str, Any]]:
    """The records of one point of a curve. A run that has real ones beside it is fed with what was profiled there.
    ``watched``: as of `Beside`."""
    machine = curve.machine
    rate = curve.sustained(point)
    window = rate.window
    steady = curve.steady(point, window, 2 * point.window * rate.rate**2)
    streams = PaperStreams(window + steady, curve.seed)
    simulate = partial(at_full_speed, point, streams, window, steady)
    if beside_real and fits_here(point.threads):
        reference = streams.reference(window, steady)
        real = partial(checked, point, streams, window, steady, reference=reference)
        feed = partial(profile_point, point, streams.definition(window, steady), machine)
        found = [beside(machine, point.threads, "comparisons_per_second", real, feed, simulate, watched)]
    else:
        found = [simulate(machine, curve.costs(point, window))]
    if latency and JOINS[point.join].gated:
        offered = load * rate.rate
        found.append(at_a_rate(point, streams, max(1, round(offered * point.window)), offered, machine))
    return [{**each, "sustainable_rate": rate.rate} for each in found]
