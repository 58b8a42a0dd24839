"""Run a query, or a pipeline of one's own: what `streambench run` does, as one call."""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any, Unpack

from streambench.errors import OptionError
from streambench.execution.execute import Measurement, Watch, execute
from streambench.execution.options import OptionChanges, Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.resources import Distances, resources
from streambench.execution.settled import settle
from streambench.host import core_distance
from streambench.host.ready_memory import peak_set_back
from streambench.lab.data.catalog import Catalog
from streambench.lab.host.machine import describe
from streambench.lab.workloads.approximate import ApproximateWorkload, workload_of
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own
from streambench.lab.workloads.result import RunResult
from streambench.lab.workloads.workload import Progress, Workload
from streambench.pyx.tuples.table_sink import TableSink
from streambench.version import __version__


def run(
    query: str | Pipeline,
    data: Any = None,
    *,
    parameters: str = "paper",
    check: bool = True,
    keep_emitted: bool = False,
    oracle: str | Path | None = None,
    approximate: float | None = None,
    profiled: bool = False,
    recorded: bool = False,
    options: Options | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
    **changes: Unpack[OptionChanges],
) -> RunResult:
    """Run a query over a data directory, or a pipeline of one's own, and return a ``RunResult``.

    ``query``: ``q1``, ``q2``, ``q3``, ``q4``, ``q15``, ``ysb``, ``qjoin``; ``module:function``, which returns a new
    ``Pipeline`` in every call; or a ``Pipeline`` (of which nothing is checked). ``data``: of a query the directory, or
    a ``Catalog``; of ``module:function`` what it is called with, any Arrow data that can be read more than once (see
    ``ArrowSource``; Parquet files are given as a pyarrow Dataset). ``parameters``, of queries: ``paper`` or ``kit``.
    ``check``: compare the output sequence with the serial engine's and the answer with SQL's.
    ``oracle``: of ``module:function``, a file of SQL for its output sequence. ``keep_emitted``: return that sequence.
    ``approximate``: of q1 and q2, count in bounded memory; no count is too high by more than this share of all.
    ``options``, or any option by its name (``workers=2, unit=256, partitions=64, rate=1e6, ...``), say how to
    execute: see ``Options``. ``profiled``: log what each worker does when, for ``RunResult.timeline``. ``recorded``:
    keep what the controller of ``ordered`` is told and decides, for ``RunResult.decisions``. ``progress``, ``watch``:
    called while data is loaded and while the query runs.

    Raises OptionError, DataError and OperatorError, each with one sentence, and MemoryError where memory is refused.
    """
    chosen = Options.of(options, **changes)
    if approximate is not None and (isinstance(query, Pipeline) or is_own(query)):
        raise OptionError("`approximate` belongs to queries: leave it out.")
    if isinstance(query, Pipeline):
        if data is not None:
            raise OptionError("a Pipeline has its data already: leave out `data`.")
        return _run_pipeline(query, chosen, watch, profiled=profiled, recorded=recorded)
    how: dict[str, Any] = {"check": check, "keep_emitted": keep_emitted, "profiled": profiled, "recorded": recorded}
    if is_own(query):
        own = OwnWorkload(query, None if oracle is None else Path(oracle), data, in_memory=False)
        return run_workload(own, chosen, watch=watch, **how)
    if data is None:
        raise OptionError(f"{query} needs a data directory: make one with `streambench datagen`.")
    catalog = data if isinstance(data, Catalog) else Catalog.open(data)
    loaded: dict[str, Any] = {"preload": chosen.preload, "sort": chosen.sort, "progress": progress}
    workload = workload_of(query, catalog, parameters, approximate, **loaded)
    return run_workload(workload, chosen, watch=watch, **how)


def run_workload(
    workload: Workload | OwnWorkload,
    options: Options,
    *,
    check: bool = True,
    keep_answer: bool = True,
    keep_emitted: bool = False,
    profiled: bool = False,
    recorded: bool = False,
    watch: Watch | None = None,
) -> RunResult:
    """As ``run``, over a workload that is ready, so that a stream is loaded once for many runs.

    The answer of an own pipeline is its output sequence: there is no other.
    """
    keep = keep_emitted or (keep_answer and workload.answer_needs_rows)
    before = _distance(options)
    measured, pipeline = workload.run(options, watch, keep=keep, profiled=profiled, recorded=recorded)
    distances = (before, _distance(options))
    peak = peak_rss_bytes()
    sequence_ok = answer_ok = problem = None
    if check:
        sequence_ok, answer_ok, problem = workload.check(options, measured, pipeline)
    return RunResult(
        query=workload.name,
        parameter_set=workload.parameter_set,
        digest=pipeline.sink.digest,
        output_tuples=pipeline.sink.tuples,
        sequence_ok=sequence_ok,
        answer_ok=answer_ok,
        problem=problem,
        answer=workload.answer(pipeline) if keep_answer and isinstance(workload, Workload) else None,
        emitted=workload.emitted(pipeline) if keep_emitted else None,
        approximation=workload.approximation(pipeline, options.laps, checked=check)
        if isinstance(workload, ApproximateWorkload)
        else None,
        **{**_measured(measured, distances), "peak_rss_bytes": peak},
    )


def _run_pipeline(
    pipeline: Pipeline, options: Options, watch: Watch | None, *, profiled: bool, recorded: bool
) -> RunResult:
    before = _distance(options)
    measured = execute(pipeline, options, watch, profiled=profiled, recorded=recorded)
    sink = pipeline.sink
    known = isinstance(sink, TableSink)
    return RunResult(
        query="pipeline",
        parameter_set="",
        digest=sink.digest if known else "",
        output_tuples=sink.tuples if known else 0,
        sequence_ok=None,
        answer_ok=None,
        problem=None,
        **_measured(measured, (before, _distance(options))),
    )


def _distance(options: Options) -> float | None:
    """Of the cores, where a run has several workers."""
    return core_distance.longest() if settle(options).workers > 1 else None


def _measured(measured: Measurement, distances: Distances) -> dict[str, Any]:
    """What a result says of an execution, whatever was executed."""
    settled = measured.settled
    return {
        "engine": settled.engine,
        "options": settled.to_dict(),
        "tuples": measured.tuples,
        "seconds": measured.seconds,
        "throughput": measured.throughput,
        "latency": measured.latency,
        "latency_operators": measured.latency_operators,
        "latency_end_to_end": measured.latency_end_to_end,
        "latency_histogram": measured.latency_histogram,
        "latency_end_to_end_histogram": measured.latency_end_to_end_histogram,
        "offered": measured.offered,
        "steadiness": measured.steadiness,
        "peak_rss_bytes": peak_rss_bytes(),
        "machine": describe(),
        "version": __version__,
        "profile": measured.profile,
        "traces": measured.traces,
        "choices": measured.choices,
        "lap_counts": None if measured.laps is None else measured.laps.to_dict(),
        "unpinned": measured.unpinned,
        "working": settled.at_work,
        "timeline": measured.timeline,
        "decisions": measured.decisions,
        "core_round_trip_ns": distances[0],
        "core_costs": measured.core_costs,
        **resources(measured, distances),
    }


def peak_rss_bytes() -> int:
    """The largest resident set of this process so far, in bytes. (A run sets back what the system says of it.)"""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(peak_set_back(), peak if sys.platform == "darwin" else peak * 1024)
