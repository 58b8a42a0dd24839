"""What an execution gives back."""

from __future__ import annotations

import math
import resource
import sys
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from streambench.execution.decisions import Decisions
from streambench.execution.measurement import Measurement
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.resources import Distances, resources
from streambench.execution.result_values import (
    CheckpointValues,
    HostValues,
    Json,
    LapCountValues,
    OptionValues,
    PlanChoice,
    StageProfile,
    SteadinessValues,
)
from streambench.host.ready_memory import peak_set_back
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.table_sink import TableSink
from streambench.version import __version__

MEASURED = (
    *("tuples", "seconds", "throughput", "offered", "steadiness", "profile", "traces", "choices"),
    *("latency", "latency_operators", "latency_end_to_end", "latency_histogram", "latency_end_to_end_histogram"),
    *("unpinned", "timeline", "decisions", "core_costs", "checkpoints"),
)
"""Fields that are a ``Measurement``'s."""


@dataclass(frozen=True, repr=False, kw_only=True)
class Result:
    """What the execution of a pipeline gave and took. Times are seconds, sizes bytes."""

    engine: str
    """The engine that ran."""
    options: OptionValues
    """What it ran with: the options, with all that was left open chosen."""
    tuples: int
    """Tuples of the stream."""
    output_tuples: int
    """Tuples that reached a ``TableSink`` or ``BatchSink``; 0 for another sink."""
    digest: str
    """Of the sequence that reached such a sink: equal digests are equal sequences. Empty for another sink."""
    seconds: float
    """From the start of the workers to the return of the last."""
    throughput: float
    """Stream tuples per second, counted at the sink between the 20th and the 80th percentile of markers; at a rate
    from the first arrival on."""
    latency: dict[str, float]
    """From a tuple's entry to its output at the sink: ``mean p50 p90 p99 p999 max``."""
    latency_operators: dict[str, float]
    """The same until the last operator's output went on to the sink, in order."""
    latency_end_to_end: dict[str, float] | None
    """The same from a tuple's scheduled arrival on; None without a rate."""
    latency_histogram: str | None
    """The whole of ``latency``, in nanoseconds, as HdrHistogram's V2 text."""
    latency_end_to_end_histogram: str | None
    """The whole of ``latency_end_to_end``."""
    offered: float | None
    """At a rate: tuples per second that were due in the time that ``throughput`` is counted in."""
    steadiness: SteadinessValues
    """Where the start-up ends, see ``streambench.execution.warm_up``."""
    peak_rss_bytes: int
    """The most memory of this process so far."""
    version: str
    """Of streambench."""
    profile: list[StageProfile]
    """Of each operator or stage: the workers' seconds, tuples in and out, rare events of its reorder buffer."""
    traces: dict[int, int] = field(default_factory=dict)
    """Digests of each operator's output by its place in the pipeline, where ``trace`` asked for them."""
    choices: list[PlanChoice] = field(default_factory=list)
    """What the controller of ``ordered`` chose, in order: its ``number`` from 0 (of very many the first and the latest
    are kept), ``seconds`` since the start, tuples to a ``unit``, units that may be ``in_flight``, the ``plan`` in
    words, workers that are ``resting``, and whether each is ``bound`` to its own core."""
    lap_counts: LapCountValues | None = None
    """Tuples that each lap gave each of the ``operators``: ``by_lap``, where consecutive laps that gave the same stand
    together, and ``flushed`` at the end of the stream. None for a stream that is read as it goes."""
    working: int = 1
    """Workers that took part."""
    unpinned: tuple[int, ...] = ()
    """Cores that the system did not let a worker stay on."""
    core_round_trip_ns: float | None = None
    """A cache line's round trip between neighbouring cores just before, the longest; None for one worker."""
    core_costs: dict[str, float] | None = None
    """What the controller was told that cores take to share, ns of a ``line`` of the cache and of a ``byte``."""
    cpu_seconds: float = 0.0
    """Of all workers; idle spinning counts."""
    cpu_seconds_per_million: float | None = None
    """The same for a million tuples of the stream."""
    worker_cpu_seconds: list[float] = field(default_factory=list)
    """Of each worker."""
    worker_shares: list[float] = field(default_factory=list)
    """Each worker's part of the time spent in operators (of ``schemes`` in stages)."""
    memory_before_bytes: int = 0
    """What the process had just before."""
    peak_memory_bytes: int = 0
    """The most it had meanwhile."""
    disturbed: bool | None = None
    """Did the host or others take a visible part of the cores' time? None: it was too short to tell."""
    host: HostValues = field(default_factory=HostValues)
    """How much, see ``streambench.host.disturbance``."""
    timeline: dict[str, npt.NDArray[np.generic]] | None = None
    """What each worker did when, where ``profiled`` asked for it: see ``streambench.pyx.engine.worker_log``, of
    ``schemes`` ``streambench.pyx.schemes.timeline``."""
    checkpoints: CheckpointValues | None = None
    """How many were made and how long the run paused for them, where ``checkpoint`` asked for them."""
    decisions: Decisions | None = None
    """All that the controller was told and has decided, where ``recorded`` asked for it."""

    def __repr__(self) -> str:
        names = ("engine", "tuples", "seconds", "throughput", "output_tuples", "digest")
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)}, ...)"

    def to_json(self) -> dict[str, Json]:
        """The result as plain values, without tables, traces and decisions, and of a run without checkpoints these."""
        left_out = {"answer", "emitted", "traces", "decisions"} | (
            {"checkpoints"} if self.checkpoints is None else set()
        )
        return {name: _plain(value) for name, value in vars(self).items() if name not in left_out}


def fields_of(measured: Measurement, pipeline: OperatorChain, distances: Distances) -> dict[str, Any]:
    """The fields of ``Result`` for an execution. ``distances``: of the cores, before and after."""
    settled, sink = measured.settled, pipeline.sink
    known = isinstance(sink, (TableSink, BatchSink))
    return {
        **{name: getattr(measured, name) for name in MEASURED},
        "engine": settled.engine,
        "options": settled.to_dict(),
        "output_tuples": sink.tuples if known else 0,
        "digest": sink.digest if known else "",
        "peak_rss_bytes": peak_rss_bytes(),
        "version": __version__,
        "lap_counts": None if measured.laps is None else measured.laps.to_dict(),
        "working": settled.at_work,
        "core_round_trip_ns": distances[0],
        **resources(measured, distances),
    }


def peak_rss_bytes() -> int:
    """The largest resident set of this process so far, in bytes. (A run sets back what the system says of it.)"""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(peak_set_back(), peak if sys.platform == "darwin" else peak * 1024)


def _plain(value: object) -> Json:
    if isinstance(value, np.ndarray):
        return cast("Json", value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return cast("Json", value)
