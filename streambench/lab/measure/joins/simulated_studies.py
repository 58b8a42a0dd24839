"""Paper 001's case studies on simulated cores: as many processing threads as the paper's, through time."""

from __future__ import annotations

from typing import Any

import numpy as np

from streambench.lab.measure.joins.case_studies import CaseStudy, Sampled, Schedule
from streambench.lab.measure.joins.paced import latencies, quantiles
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.simulated import PACED_BATCHES, checked, profile, where
from streambench.lab.measure.joins.throughput import Point, balance
from streambench.lab.simulate.machine import Machine
from streambench.pyx.join.arrivals import Arrivals
from streambench.pyx.join.join_crew import JoinCrew

MOST_SECONDS = 3.0  # that a simulated study lasts: all its comparisons are made, by one real thread


def simulated_study(study: CaseStudy, tier: str, seconds: float, seed: int, machine: Machine) -> dict[str, Any]:
    """A simulated run as a record with what was sampled, on as many cores as the paper's threads."""
    schedule = Schedule(study, min(seconds, MOST_SECONDS))
    streams = PaperStreams(max(map(len, schedule.ts)), seed)
    point = Point("scale", tier, study.threads, schedule.seconds)
    definition = schedule.definition(streams)
    first = []
    for side, own, rows, _ in schedule.streams:
        first.append((side, own, rows, np.zeros(len(own), np.int64)))
    costs = profile(definition, tier, study.threads, machine, (*PACED_BATCHES, 0), lambda: Arrivals(definition, first))
    cores = machine.cores(costs)
    arrivals = Arrivals(definition, schedule.streams)
    crew = JoinCrew(definition, tier, study.threads, arrivals=arrivals)
    sampled = Sampled(schedule.seconds, cores.now_ns)
    with cores:
        crew.run(lambda _: sampled.look(crew, arrivals))
    ts = schedule.ts[0], schedule.ts[1]
    matched = crew.matches()
    digest = checked(matched, point, streams, definition, ts)
    waits = latencies(matched, ts, schedule.streams, arrivals, crew.left_ns)
    spent = crew.comparing_seconds
    compared = sum(map(len, schedule.ts)) - schedule.compared_from
    return {
        "measure": f"simulated skew {study.name}",
        "simulated": True,
        "join": point.join,
        "tier": tier,
        "threads": study.threads,
        "window_seconds": schedule.seconds,
        "window_tuples": definition.largest_window,
        "tuples": compared // 2,
        "repeat": 0,
        "core_round_trip_ns": None,
        "seconds": spent,
        "comparisons": definition.pairs,
        "comparisons_per_second": definition.pairs / spent,
        "tuples_per_second": compared / 2 / spent,
        **balance(crew.compared),
        "latency": quantiles(waits),
        "rate": None,
        "sustainable_rate": None,
        **where(cores),
        "samples": {"seconds": sampled.seconds, "compared": sampled.compared, "rates": schedule.rates()},
        "digest": digest,
        "verified": True,
        "times_ns": machine.times.to_dict(),
    }
