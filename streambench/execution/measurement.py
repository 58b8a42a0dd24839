"""What an execution took, as its engine and the markers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.execution import arrival_process, latency_histogram, marker_statistics, plans, warm_up
from streambench.execution.decisions import Decisions
from streambench.execution.lap_counts import LapCounts
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.result_values import CheckpointValues
from streambench.execution.settled import Settled
from streambench.execution.shares import shares
from streambench.execution.tick_rate import ticks_since
from streambench.host.meanwhile import Meanwhile


@dataclass(frozen=True)
class Measurement:
    """What an execution took: see ``RunResult`` for units. Times of markers are seconds since the start.

    ``settled``: what it ran with. ``laps``: what each lap gave the operators; None for a stream that does not come
    again. ``begun``: the start, in seconds of ``time.monotonic``. ``offered``: at a rate, the tuples per second that
    were due until the same tuple. ``unpinned``: cores that a worker could not be pinned to. Of each worker
    ``accounts``, its ns on a core, idle spinning included, and its voluntary and involuntary switches, and
    ``worker_shares``, its part of the time that all spent in operators (of ``schemes`` in stages). ``meanwhile``: the
    cores and the memory beside it. ``core_costs``: what the controller was told that cores take to share, see
    ``streambench.host.core_costs``; None: nothing. ``decisions``: the controller's, where they were recorded.
    ``checkpoints``: what is said of them, where there are some.
    """

    settled: Settled
    tuples: int
    seconds: float
    throughput: float
    latency: dict[str, float]
    latency_operators: dict[str, float]
    latency_end_to_end: dict[str, float] | None
    offered: float | None
    markers: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
    profile: list[dict[str, Any]]
    traces: dict[int, int]
    choices: list[dict[str, Any]]
    laps: LapCounts | None
    begun: float
    timeline: dict[str, npt.NDArray[np.generic]] | None = None
    unpinned: tuple[int, ...] = ()
    accounts: tuple[tuple[int, int, int], ...] = ()
    worker_shares: tuple[float, ...] = ()
    meanwhile: Meanwhile | None = None
    core_costs: dict[str, float] | None = None
    decisions: Decisions | None = None
    checkpoints: CheckpointValues | None = None

    @property
    def due(self) -> npt.NDArray[np.float64] | None:
        """When the markers' tuples were due; None without a rate."""
        return _due(self.markers[0], self.settled, self.tuples)

    @property
    def latency_histogram(self) -> str | None:
        """The whole distribution, as HdrHistogram's V2 text; made when it is asked for, as are the next two."""
        _, entered, left = self.markers
        return latency_histogram.encoded(marker_statistics.waits(entered, left))

    @property
    def latency_end_to_end_histogram(self) -> str | None:
        """The same from when tuples were due; None without a rate."""
        due, left = self.due, self.markers[2]
        return None if due is None else latency_histogram.encoded(marker_statistics.waits(due, left))

    @property
    def steadiness(self) -> dict[str, Any]:
        """Where the start-up ends: see ``warm_up.Steadiness``."""
        index, _, left = self.markers
        due = self.due
        return warm_up.steadiness(index, left, None if due is None else left - due).plain()


def measurement(
    pipeline: OperatorChain,
    engine: Any,
    settled: Settled,
    meanwhile: Meanwhile,
    *,
    recorded: bool = False,
    checkpoints: CheckpointValues | None = None,
) -> Measurement:
    """Of an engine that has run."""
    index, *at_ticks = engine.egress.markers()
    rate = ticks_since(engine.begun_ns, engine.begun_ticks)
    entered, operated, left = ((each - engine.begun_ticks) / rate for each in at_ticks)
    seconds = engine.seconds
    tuples = engine.egress.tuples_left()
    due = _due(index, settled, tuples)
    throughput, offered = marker_statistics.throughput(index, left, tuples, seconds), None
    if due is not None:
        throughput = marker_statistics.throughput_at_a_rate(index, due, left, tuples, seconds)
        offered = marker_statistics.throughput_at_a_rate(index, due, due, tuples, seconds)
    return Measurement(
        settled=settled,
        tuples=tuples,
        seconds=seconds,
        throughput=throughput,
        latency=marker_statistics.latency(entered, left),
        latency_operators=marker_statistics.latency(entered, operated),
        latency_end_to_end=None if due is None else marker_statistics.latency(due, left),
        offered=offered,
        markers=(index, entered, left),
        profile=[_seconds(each, rate) for each in engine.profile()],
        traces=engine.traces(),
        choices=plans.choices([each.name for each in pipeline.operators], engine.plans_chosen(), settled.partitions)
        if settled.engine == "ordered"
        else [],
        laps=LapCounts.of(pipeline.operators, engine.egress.laps_counted()) if pipeline.source.lap() else None,
        begun=engine.begun_ns * 1e-9,
        timeline=engine.sampled(),
        unpinned=tuple(sorted(set(engine.unpinned))),
        accounts=tuple(engine.accounts),
        worker_shares=shares(engine.worked()),
        meanwhile=meanwhile,
        core_costs=engine.how["costs"] if settled.engine == "ordered" else None,
        decisions=Decisions.of(pipeline.operators, engine.controller) if recorded else None,
        checkpoints=checkpoints,
    )


def _due(index: npt.NDArray[np.int64], settled: Settled, tuples: int) -> npt.NDArray[np.float64] | None:
    """When an open loop would send these tuples, whether or not the pipeline was ready; None without a rate."""
    if not settled.rate:
        return None
    period = arrival_process.period(settled.arrivals, tuples)
    return arrival_process.due_seconds(index, settled.arrivals, settled.rate, settled.arrival_seed, period)


def _seconds(stage: dict[str, Any], rate: float) -> dict[str, Any]:
    return {**{name: value for name, value in stage.items() if name != "ticks"}, "seconds": stage["ticks"] / rate}
