"""What a run gives back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.execution.decisions import Decisions

SCHEMA = 2


@dataclass(frozen=True, repr=False)
class RunResult:
    """One run.

    ``query``: the query's name, an own pipeline's ``module:function``; ``tuples``: stream tuples; ``seconds``: from
    the start of the workers to the return of the last; ``throughput``: input tuples per second as counted at the sink
    between the 20th and 80th percentile of markers, at a rate from the first arrival on; ``latency``: processing
    latency, seconds, ``mean p50 p90 p99 p999 max``; ``latency_operators``: the same, but only until the last
    operator's output went on to the sink, in order; ``latency_end_to_end``: from a tuple's scheduled arrival (None
    without a rate); ``latency_histogram`` and ``latency_end_to_end_histogram``: the same whole, in ns, as
    HdrHistogram's V2 text; ``offered``: at a rate, the tuples per second that were due until then; ``steadiness``:
    where the start-up ends, see ``streambench.execution.warm_up``; ``digest``: of the sink's output sequence,
    ``output_tuples`` its length.
    ``sequence_ok``: does the sequence equal the serial engine's and SQL's, and did each lap cause as many tuples as SQL
    says; ``answer_ok``: does the answer equal SQL's (None: not checked). ``problem``: the first difference. ``answer``,
    ``emitted``: the tables, where asked for. ``profile``: per stage, worker seconds, tuples in and out, and the rare
    events of its reorder buffer. ``timeline``: where asked for, what each worker did when (see
    ``streambench.pyx.engine.worker_log``); of the paper's schemes the profile and the worklists over time (see
    ``streambench.pyx.schemes.timeline``). ``decisions``: where asked for, all that the controller was told and has
    decided (see ``streambench.execution.decisions``). ``traces``: digest of the output of each operator, by its place
    in the pipeline, where asked for. ``choices``: what the controller chose, in order: its ``number`` from 0 (of very
    many the first and the latest are kept: numbers in between are missing), ``seconds`` since the start, tuples to a
    ``unit``, units that may be ``in_flight``, the ``plan`` in words (none for the serial engine and the paper's
    schemes), workers that are ``resting`` as somebody else is on their cores, and whether each is ``bound`` to its own.
    ``working``: the workers that took part. ``lap_counts``: tuples that each lap gave each of the ``operators``:
    ``by_lap``, where consecutive laps that gave the same stand together, and ``flushed`` at end of stream (None for a
    stream read as it goes). ``core_round_trip_ns``: with several workers, a cache line's round trip between
    neighbouring cores just before the run, the longest. ``core_costs``: what the controller was told that cores take to
    share, ns of a cache ``line`` and of a ``byte`` (None: nothing). ``unpinned``: cores that the system did not let a
    worker stay on. ``cpu_seconds``: of all workers, ``cpu_seconds_per_million`` for a million stream tuples,
    ``worker_cpu_seconds`` of each (idle spinning counts); ``worker_shares``: each worker's part of the time spent in
    operators (of ``schemes`` in stages).
    ``memory_before_bytes``, ``peak_memory_bytes``: what the process had just before the run, and the most while it
    lasted; ``peak_rss_bytes``: the most so far.
    ``disturbed``: did the host or others take a visible part of the cores' time (None: too short to tell); ``host``:
    how much, see ``streambench.host.disturbance``. ``approximation``, of an approximate query: ``epsilon``,
    ``counters``, ``n`` (pairs counted), ``error_bound`` (no estimate is off by more; what the structure really has)
    and, if it was checked, what ``streambench.lab.answers.estimates.Judgement`` says.
    """

    query: str
    engine: str
    parameter_set: str
    options: dict[str, Any]
    tuples: int
    seconds: float
    throughput: float
    latency: dict[str, float]
    latency_operators: dict[str, float]
    latency_end_to_end: dict[str, float] | None
    latency_histogram: str | None
    latency_end_to_end_histogram: str | None
    offered: float | None
    steadiness: dict[str, Any]
    digest: str
    output_tuples: int
    sequence_ok: bool | None
    answer_ok: bool | None
    problem: str | None
    peak_rss_bytes: int
    machine: dict[str, Any]
    version: str
    profile: list[dict[str, Any]]
    traces: dict[int, int] = field(default_factory=dict)
    choices: list[dict[str, Any]] = field(default_factory=list)
    lap_counts: dict[str, Any] | None = None
    working: int = 1
    unpinned: tuple[int, ...] = ()
    core_round_trip_ns: float | None = None
    core_costs: dict[str, float] | None = None
    cpu_seconds: float = 0.0
    cpu_seconds_per_million: float | None = None
    worker_cpu_seconds: list[float] = field(default_factory=list)
    worker_shares: list[float] = field(default_factory=list)
    memory_before_bytes: int = 0
    peak_memory_bytes: int = 0
    disturbed: bool | None = None
    host: dict[str, Any] = field(default_factory=dict)
    timeline: dict[str, Any] | None = None
    decisions: Decisions | None = None
    approximation: dict[str, Any] | None = None
    answer: pa.Table | None = None
    emitted: pa.Table | None = None
    schema: int = SCHEMA

    def __repr__(self) -> str:
        names = ("query", "engine", "tuples", "seconds", "throughput", "digest", "sequence_ok", "answer_ok", "problem")
        return f"RunResult({', '.join(f'{name}={getattr(self, name)!r}' for name in names)}, ...)"

    def to_json(self) -> dict[str, Any]:
        """The result as plain values, without the tables and the decisions."""
        left_out = {"answer", "emitted", "traces", "decisions"}
        plain = {name: value for name, value in vars(self).items() if name not in left_out}
        return {name: _plain(value) for name, value in plain.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
