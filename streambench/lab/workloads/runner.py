"""Run a query, or a pipeline of one's own: what `streambench run` does, as one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from streambench.errors import OptionError
from streambench.execution.execute import Watch
from streambench.execution.options import OptionChanges, Options
from streambench.execution.pipeline import Pipeline, longest_distance
from streambench.execution.result import fields_of, peak_rss_bytes
from streambench.lab.data.catalog import Catalog
from streambench.lab.host.machine import describe
from streambench.lab.workloads.approximate import ApproximateWorkload, workload_of
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own
from streambench.lab.workloads.result import RunResult
from streambench.lab.workloads.workload import Progress, Workload


def run(
    query: str,
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

    ``query``: ``q1``, ``q2``, ``q3``, ``q4``, ``q15``, ``ysb``, ``qjoin``, and ``q2@10us`` with 10 µs of work
    added to what a tuple costs in every operator; or ``module:function``, which returns a new ``Pipeline`` in every
    call. ``data``: of a query the directory, or
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
    if isinstance(query, Pipeline):
        raise OptionError(
            "a Pipeline runs once, by its own method: `pipeline.run(...)`; name a function to have it checked."
        )
    chosen = Options.of(options, **changes)
    if approximate is not None and is_own(query):
        raise OptionError("`approximate` belongs to queries: leave it out.")
    how: dict[str, Any] = {"check": check, "keep_emitted": keep_emitted, "profiled": profiled, "recorded": recorded}
    if is_own(query):
        own = OwnWorkload(query, None if oracle is None else Path(oracle), data, in_memory=False)
        return run_workload(own, chosen, watch=watch, **how)
    if data is None:
        raise OptionError(f"{query} needs a data directory: make one with `streambench data generate`.")
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
    before = longest_distance(options)
    measured, pipeline = workload.run(options, watch, keep=keep, profiled=profiled, recorded=recorded)
    distances = (before, longest_distance(options))
    peak = peak_rss_bytes()
    sequence_ok = answer_ok = problem = None
    if check:
        sequence_ok, answer_ok, problem = workload.check(options, measured, pipeline)
    return RunResult(
        query=workload.name,
        parameter_set=workload.parameter_set,
        sequence_ok=sequence_ok,
        answer_ok=answer_ok,
        problem=problem,
        machine=describe(),
        answer=workload.answer(pipeline) if keep_answer and isinstance(workload, Workload) else None,
        emitted=workload.emitted(pipeline) if keep_emitted else None,
        approximation=workload.approximation(pipeline, options.laps, checked=check)
        if isinstance(workload, ApproximateWorkload)
        else None,
        **{**fields_of(measured, pipeline, distances), "peak_rss_bytes": peak},
    )
