"""What an execution took, as its engine and the markers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.execution import marker_statistics, plans
from streambench.execution.lap_counts import LapCounts
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import Settled
from streambench.pyx.machine.clock import ticks_per_second


@dataclass(frozen=True)
class Measurement:
    """What an execution took: see ``RunResult`` for units. Times of markers are seconds since the start.

    ``settled``: what it ran with. ``laps``: what each lap gave the operators; None for a stream that does not come
    again. ``unpinned``: cores that a worker could not be pinned to.
    """

    settled: Settled
    tuples: int
    seconds: float
    throughput: float
    latency: dict[str, float]
    latency_operators: dict[str, float]
    latency_end_to_end: dict[str, float] | None
    markers: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
    profile: list[dict[str, Any]]
    traces: dict[int, int]
    choices: list[dict[str, Any]]
    laps: LapCounts | None
    timeline: dict[str, npt.NDArray[np.generic]] | None = None
    unpinned: tuple[int, ...] = ()


def measurement(pipeline: Pipeline, engine: Any, settled: Settled) -> Measurement:
    """Of an engine that has run."""
    index, *at_ticks = engine.egress.markers()
    rate = ticks_per_second()
    entered, operated, left = ((each - engine.begun_ticks) / rate for each in at_ticks)
    seconds = engine.seconds
    tuples = engine.egress.tuples_left()
    end_to_end = None
    if settled.rate:
        # A tuple is due when an open loop at this rate would send it, whether or not the pipeline was ready.
        end_to_end = marker_statistics.latency(index / settled.rate, left)
    return Measurement(
        settled=settled,
        tuples=tuples,
        seconds=seconds,
        throughput=marker_statistics.throughput(index, left, tuples, seconds),
        latency=marker_statistics.latency(entered, left),
        latency_operators=marker_statistics.latency(entered, operated),
        latency_end_to_end=end_to_end,
        markers=(index, entered, left),
        profile=[_seconds(each, rate) for each in engine.profile()],
        traces=engine.traces(),
        choices=_choices(pipeline, engine, settled.partitions) if settled.engine == "ordered" else [],
        laps=LapCounts.of(pipeline.operators, engine.egress.laps_counted()) if pipeline.source.lap() else None,
        timeline=engine.sampled(),
        unpinned=tuple(sorted(set(engine.unpinned))),
    )


def _choices(pipeline: Pipeline, engine: Any, partitions: int) -> list[dict[str, Any]]:
    """What is kept of the controller's choices, in order: which, when, tuples to a unit, units in flight, the plan."""
    names = [each.name for each in pipeline.operators]
    return [
        {
            "number": number,
            "seconds": seconds,
            "unit": unit,
            "in_flight": in_flight,
            "plan": plans.describe(names, heads, sharded, partitions),
        }
        for number, seconds, unit, in_flight, heads, sharded in engine.plans_chosen()
    ]


def _seconds(stage: dict[str, Any], rate: float) -> dict[str, Any]:
    return {**{name: value for name, value in stage.items() if name != "ticks"}, "seconds": stage["ticks"] / rate}
