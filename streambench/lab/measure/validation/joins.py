"""A join on real threads, its profile, the join again, and the same on simulated cores."""

from __future__ import annotations

from collections import deque

from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.simulated import at_full_speed, profile
from streambench.lab.measure.joins.throughput import Point, checked, full_speed
from streambench.lab.measure.validation.beside_profile import Beside
from streambench.lab.measure.validation.beside_real import compare
from streambench.lab.measure.validation.cases import JoinCase
from streambench.lab.record.journal import Record
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times, Watched

FIRST = 2048  # tuples of each side by which is found how many a run takes
MOST = 1 << 20


def compare_join(
    case: JoinCase, times: Times, seconds: float, watched: deque[Watched] | None = None
) -> tuple[Record, Beside, Record, Times]:
    """What is compared, both real runs, of about so many seconds, what is simulated, and by which times; as
    ``compared`` takes them. ``watched``: as of `Beside`."""
    point = Point("scale", case.tier, case.threads, float(case.window))
    _, taken = full_speed(point, PaperStreams(case.window + FIRST), case.window, FIRST)
    steady = max(FIRST, min(MOST, round(seconds * taken["tuples_per_second"])))
    streams = PaperStreams(case.window + steady)
    reference = streams.reference(case.window, steady)
    definition = streams.definition(case.window, steady)
    machine = Machine(times)
    beside, made, now = compare(
        machine,
        case.threads,
        "tuples_per_second",
        lambda repeat: checked(point, streams, case.window, steady, repeat, reference),
        lambda: profile(definition, case.tier, case.threads, machine),
        lambda machine, costs: at_full_speed(point, streams, case.window, steady, machine, costs),
        watched,
    )
    settings = {"query": case.workload, "engine": "joins", "workers": case.threads, "window_tuples": case.window}
    return settings, beside, {**made, "throughput": made["tuples_per_second"], "latency": None}, now.times
