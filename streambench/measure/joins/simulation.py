"""Every point of ScaleJoin on simulated cores: the rate that it sustains, its balance and, if wanted, its latency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from streambench.measure.joins.paper_streams import PaperStreams
from streambench.measure.joins.simulated import Machine, at_a_rate, at_full_speed, rate_of, steady_of
from streambench.measure.joins.throughput import Point

CORES = (1, 2, 4, 8, 16, 32, 48)  # the paper's first machine has 48
LOAD = 0.8  # of the rate that is sustained, at which latency is simulated

Report = Callable[[str, float], None]
"""Called with what is being done, and which part of all is done, from 0 to 1."""


def points(tiers: Sequence[str], windows: Sequence[float], cores: Sequence[int]) -> list[Point]:
    """By tier, window and cores."""
    return [Point("scale", tier, each, window) for tier in tiers for window in windows for each in cores]


def simulate_join(
    wanted: Sequence[Point],
    machine: Machine,
    *,
    most_tuples: int,
    seed: int = 1,
    latency: bool = False,
    report: Report = lambda what, fraction: None,
) -> list[dict[str, Any]]:
    """A run at full speed of each point and, where ``latency``, one at `LOAD` of its rate. ``seed``: of the tuples."""
    found = []
    for place, point in enumerate(wanted):
        report(f"simulating {point.title()}", place / len(wanted))
        found += simulated_point(point, machine, most_tuples, seed, latency=latency)
    return found


def simulated_point(
    point: Point, machine: Machine, most_tuples: int, seed: int, *, latency: bool, load: float = LOAD
) -> list[dict[str, Any]]:
    """The records of one point."""
    rate = rate_of(point, machine, most_tuples, seed)
    window = rate.window
    of_a_thread = 2 * point.window * rate.rate**2 / point.threads
    steady = steady_of(window, of_a_thread)
    streams = PaperStreams(window + steady, seed)
    found = [at_full_speed(point, streams, window, steady, machine)]
    if latency:
        offered = load * rate.rate
        found.append(at_a_rate(point, streams, max(1, round(offered * point.window)), offered, machine))
    return [{**each, "sustainable_rate": rate.rate} for each in found]
