"""Verification: every engine, scheme and option gives one sequence and SQL's answer (paper 000, theorem 5.2).

The reference is the serial engine, one tuple at a time. Compared with it are the digest of the sink's output sequence
and the digest of every operator's ordered output, where both engines have one; the answer is compared with SQL's.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench import oracle
from streambench.catalog import Catalog
from streambench.execute import Watch
from streambench.grid import LAPS, Grid
from streambench.options import Options
from streambench.pipeline import Pipeline
from streambench.queries import query as queries
from streambench.workload import Workload

PARAMETER_SETS = ("paper", "kit")

Step = Callable[[str, int, int], None]
"""Called with (the query, runs done, runs in all) before every run."""


@dataclass(frozen=True)
class Mismatch:
    """A run that was wrong. ``what``: sequence, operator or answer; ``problem``: where; ``command``: repeats it."""

    what: str
    problem: str
    command: str


@dataclass
class Verdict:
    """What was found for one query with one parameter set."""

    query: str
    parameter_set: str
    runs: int = 0
    tuples: int = 0
    output_tuples: int = 0
    answer_rows: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """All verdicts; ``ok`` if nothing was wrong."""

    verdicts: tuple[Verdict, ...]

    @property
    def ok(self) -> bool:
        """Whether something was run, and every run was right."""
        return bool(self.verdicts) and all(each.runs and not each.mismatches for each in self.verdicts)


@dataclass(frozen=True)
class _Reference:
    """What every run must give: the serial engine's digests at unit 1, by number of laps, and SQL's answer."""

    digests: dict[int, str]
    traces: dict[int, dict[int, int]]  # laps, place of the operator, digest of its ordered output
    answer: pa.Table


def verify(
    data: Catalog,
    names: Iterable[str] | None = None,
    parameter_sets: Sequence[str] = PARAMETER_SETS,
    grid: Grid | None = None,
    step: Step | None = None,
    watch: Watch | None = None,
) -> Report:
    """Run the queries ``names`` (default: all) over ``data`` in every combination of ``grid``, and compare.

    Raises OptionError for an unknown query, DataError for data that does not fit, OperatorError where one refuses a
    tuple.
    """
    grid = grid or Grid()
    chosen = list(names or queries.names())
    return Report(
        tuple(_verify_query(data, name, kind, grid, step, watch) for name in chosen for kind in parameter_sets)
    )


def _verify_query(
    data: Catalog, name: str, parameter_set: str, grid: Grid, step: Step | None, watch: Watch | None
) -> Verdict:
    loaded = Workload(name, data, parameter_set, preload=True)
    streamed = Workload(name, data, parameter_set, preload=False)
    reference = _reference(loaded, watch)
    verdict = Verdict(name, parameter_set, tuples=loaded.rows, answer_rows=reference.answer.num_rows)
    combinations = grid.combinations()
    for place, options in enumerate(combinations):
        if step is not None:
            step(f"{name} {parameter_set}", place, len(combinations))
        workload = loaded if options.preload else streamed
        measured, pipeline = workload.run(options, watch, keep=not workload.query.answer_from_state)
        verdict.runs += 1
        verdict.output_tuples = pipeline.sink.tuples if options.laps == 1 else verdict.output_tuples
        found = _compare(workload, options, pipeline, measured.traces, reference)
        if found is not None:
            verdict.mismatches.append(Mismatch(*found, repeat_command(data.path, name, parameter_set, options)))
    return verdict


def _reference(workload: Workload, watch: Watch | None) -> _Reference:
    digests, traces = {}, {}
    for laps in (1, LAPS):
        options = Options(engine="serial", unit=1, laps=laps, preload=True, trace=True)
        measured, pipeline = workload.run(options, watch, keep=False)
        digests[laps], traces[laps] = pipeline.sink.digest, measured.traces
    return _Reference(digests, traces, workload.expected_answer())


def _compare(
    workload: Workload, options: Options, pipeline: Pipeline, traces: dict[int, int], reference: _Reference
) -> tuple[str, str] | None:
    """The first thing that is wrong, as (what, problem)."""
    wanted = reference.traces[options.laps]
    common = sorted(traces.keys() & wanted.keys())
    if options.trace and not common:
        return "operator", "no operator's output sequence could be compared with the serial engine's."
    for place in common:
        if traces[place] != wanted[place]:
            operator = f"{type(pipeline.operators[place]).__name__} (operator {place})"
            return "operator", f"the output sequence of {operator} differs from the serial engine's."
    expected = reference.digests[options.laps]
    if pipeline.sink.digest != expected:
        return "sequence", f"the output sequence has digest {pipeline.sink.digest} instead of {expected}."
    if options.laps == 1:  # of more laps SQL knows nothing
        answer = workload.answer(pipeline)
        if not answer.equals(reference.answer):
            difference = oracle.difference(workload.query.name, answer, reference.answer)
            return None if difference is None else ("answer", difference)
    return None


def repeat_command(data: Path, query: str, parameter_set: str, options: Options) -> str:
    """The `streambench run` command line of a combination."""
    words: list[Any] = ["streambench", "run", query, "--data", data, "--parameters", parameter_set]
    words += ["--engine", options.engine]
    words += ["--unit", options.unit] if options.unit else []
    if options.sharded:
        words += ["--plan", options.plan]
    elif options.engine != "serial":
        words += [word for name, scheme in options.resolved_schemes().items() for word in (f"--{name}", scheme)]
    if options.engine != "serial":
        words += ["--workers", options.workers]
        words += ["--partitions", options.partitions, "--partition-by", options.partition_by]
        words += [] if options.segments else ["--no-segments"]
    words += ["--laps", options.laps] if options.laps > 1 else []
    words += ["--preload" if options.preload else "--no-preload", "--no-pin"]
    return shlex.join(map(str, words))
