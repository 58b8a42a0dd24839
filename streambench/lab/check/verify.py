"""Verification: every engine, scheme and option gives one sequence and SQL's answer (paper 000, theorem 5.2).

The reference is the serial engine, one tuple at a time. Compared with it are the digest of the sink's output sequence
and the digest of every operator's ordered output, where both engines have one. Its sequence is compared with SQL's row
by row, and so is every run's answer, of one lap and of several. An own pipeline has one lap, and of SQL what its
oracle says of the sequence.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench.execution.execute import Watch
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.answers import oracle
from streambench.lab.check.grid import LAPS, Grid
from streambench.lab.data.catalog import Catalog
from streambench.lab.workloads.approximate import approximable, workload_of
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own
from streambench.lab.workloads.workload import Workload
from streambench.queries import query as queries

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
    """What was found for one query with one parameter set, or for an own pipeline, which has none."""

    query: str
    parameter_set: str | None
    runs: int = 0
    tuples: int = 0
    output_tuples: int = 0
    answer_rows: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    note: str | None = None  # where runs have fewer laps than they should, as no more fit

    @property
    def name(self) -> str:
        """What was run, in a few words."""
        return self.query if self.parameter_set is None else f"{self.query} {self.parameter_set}"


@dataclass(frozen=True)
class Verification:
    """All verdicts; ``ok`` if nothing was wrong."""

    verdicts: tuple[Verdict, ...]

    @property
    def ok(self) -> bool:
        """Whether something was run, and every run was right."""
        return bool(self.verdicts) and all(each.runs and not each.mismatches for each in self.verdicts)


@dataclass(frozen=True)
class _Reference:
    """What every run must give, by number of laps: the serial engine's digests at unit 1, and SQL's answer."""

    digests: dict[int, str]
    traces: dict[int, dict[int, int]]  # laps, place of the operator, digest of its ordered output
    answers: dict[int, pa.Table | None]
    problems: dict[int, str]  # laps, where the serial engine's sequence differs from SQL's


def verify(
    data: Catalog | None,
    names: Iterable[str] | None = None,
    parameter_sets: Sequence[str] = PARAMETER_SETS,
    grid: Grid | None = None,
    step: Step | None = None,
    watch: Watch | None = None,
    own: Mapping[str, OwnWorkload] | None = None,
    approximate: float | None = None,
) -> Verification:
    """Run ``names`` (default: all queries) over ``data`` in every combination of ``grid``, and compare.

    Own pipelines, ``module:function``, may be among them and need no data. ``own``: these by name; left out, they are
    made here, without an oracle. ``approximate``: the epsilon of an ``ApproximateWorkload``, of every query.

    Raises OptionError for an unknown query or what is wrong with a function, DataError for data that does not fit,
    OperatorError where one refuses a tuple.
    """
    grid = grid or Grid()
    verdicts: list[Verdict] = []
    for name in names or (queries.names() if approximate is None else approximable()):
        if is_own(name):
            workload = OwnWorkload(name) if own is None else own[name]
            verdicts.append(_verify_own(workload, grid, step, watch))
        else:
            assert data is not None
            for kind in parameter_sets:
                verdicts.append(_verify_query(data, name.lower(), kind, grid, step, watch, approximate))
    return Verification(tuple(verdicts))


def _verify_query(
    data: Catalog,
    name: str,
    parameter_set: str,
    grid: Grid,
    step: Step | None,
    watch: Watch | None,
    approximate: float | None,
) -> Verdict:
    loaded = workload_of(name, data, parameter_set, approximate, preload=True)
    in_memory = loaded.query.join is not None  # whatever an option says
    streamed = loaded if in_memory else workload_of(name, data, parameter_set, approximate, preload=False)
    loaded.room.require(1)
    laps = min(LAPS, loaded.room.laps)
    fitting = (
        Options.of(options, laps=min(options.laps, laps), preload=options.preload or in_memory)
        for options in grid.combinations()
    )
    combinations = list(dict.fromkeys(fitting))
    reference = _reference(loaded, laps, watch)
    verdict = Verdict(name, parameter_set, tuples=loaded.rows)
    verdict.note = loaded.room.warning(verdict.name, LAPS)
    for place, options in enumerate(combinations):
        if step is not None:
            step(verdict.name, place, len(combinations))
        mismatch = _run(loaded if options.preload else streamed, options, reference, verdict, watch)
        if mismatch is not None:
            command = repeat_command(data.path, name, parameter_set, options, approximate)
            verdict.mismatches.append(Mismatch(*mismatch, command))
    return verdict


def _verify_own(workload: OwnWorkload, grid: Grid, step: Step | None, watch: Watch | None) -> Verdict:
    """The combinations but for those of laps, of reading files, and of ranges where an operator names none."""
    fitting = (replace(options, laps=1, preload=True) for options in grid.combinations())
    ranges = {"hash", "range"} if workload.has_ranges else {"hash"}
    combinations = list(dict.fromkeys(options for options in fitting if options.partition_by in ranges))
    reference = _reference(workload, 1, watch)
    verdict = Verdict(workload.name, None, tuples=workload.rows)
    for place, options in enumerate(combinations):
        if step is not None:
            step(verdict.name, place, len(combinations))
        mismatch = _run(workload, options, reference, verdict, watch)
        if mismatch is not None:
            verdict.mismatches.append(Mismatch(*mismatch, repeat_own_command(workload, options)))
    return verdict


def _run(
    workload: Workload | OwnWorkload, options: Options, reference: _Reference, verdict: Verdict, watch: Watch | None
) -> tuple[str, str] | None:
    """Run a combination and count it; the first thing that is wrong, as (what, problem)."""
    measured, pipeline = workload.run(options, watch, keep=workload.answer_needs_rows)
    answer = reference.answers[1]
    verdict.runs += 1
    verdict.output_tuples = pipeline.sink.tuples if options.laps == 1 else verdict.output_tuples
    verdict.answer_rows = 0 if answer is None else answer.num_rows
    return _compare(workload, options, pipeline, measured, reference)


def _reference(workload: Workload | OwnWorkload, most_laps: int, watch: Watch | None) -> _Reference:
    digests, traces, answers, problems = {}, {}, {}, {}
    for laps in {1, most_laps}:
        options = Options(engine="serial", unit=1, laps=laps, preload=True, trace=True)
        measured, pipeline = workload.run(options, watch, keep=False)
        digests[laps], traces[laps] = pipeline.sink.digest, measured.traces
        answers[laps] = workload.expected_answer(laps)
        problem = workload.sequence_problem(laps, pipeline.sink.digest)
        if problem is not None:
            problems[laps] = problem
    return _Reference(digests, traces, answers, problems)


def _compare(
    workload: Workload | OwnWorkload,
    options: Options,
    pipeline: Pipeline,
    measured: Measurement,
    reference: _Reference,
) -> tuple[str, str] | None:
    """The first thing that is wrong, as (what, problem)."""
    right_traces, traces = reference.traces[options.laps], measured.traces
    common = sorted(traces.keys() & right_traces.keys())
    if options.trace and not common:
        return "operator", "no operator's output sequence could be compared with the serial engine's."
    for place in common:
        if traces[place] != right_traces[place]:
            operator = f"{type(pipeline.operators[place]).__name__} (operator {place})"
            return "operator", f"the output sequence of {operator} differs from the serial engine's."
    expected = reference.digests[options.laps]
    if pipeline.sink.digest != expected:
        return "sequence", f"the output sequence has digest {pipeline.sink.digest} instead of {expected}."
    wanted_answer = reference.answers[options.laps]
    if isinstance(workload, Workload) and wanted_answer is not None:
        answer = workload.answer(pipeline)
        difference = None if answer.equals(wanted_answer) else oracle.difference(workload.name, answer, wanted_answer)
        if difference is not None:
            return "answer", difference
    problem = reference.problems.get(options.laps) or workload.lap_problem(options.laps, measured)
    return None if problem is None else ("sequence", problem)


def repeat_command(
    data: Path, query: str, parameter_set: str, options: Options, approximate: float | None = None
) -> str:
    """The `streambench run` command line of a combination."""
    words: list[Any] = [query, "--data", data, "--parameters", parameter_set, *_execution(options)]
    words += [] if approximate is None else ["--approximate", approximate]
    words += ["--laps", options.laps] if options.laps > 1 else []
    return _command([*words, "--preload" if options.preload else "--no-preload"])


def repeat_own_command(workload: OwnWorkload, options: Options) -> str:
    """The same of an own pipeline."""
    data = [] if workload.data is None else ["--data", workload.data]
    oracle = [] if workload.oracle is None else ["--oracle", workload.oracle.file]
    return _command([workload.name, *data, *oracle, *_execution(options)])


def _command(words: Sequence[Any]) -> str:
    return shlex.join(map(str, ["streambench", "run", *words, "--no-pin"]))


def _execution(options: Options) -> list[Any]:
    words: list[Any] = ["--engine", options.engine]
    words += ["--unit", options.unit] if options.unit else []
    if options.engine == "ordered":
        words += ["--plan", options.plan]
    elif options.engine == "schemes":
        words += ["--heuristic", options.heuristic, "--reorder", options.reorder]
        words += ["--partitioning", options.partitioning, "--routing", options.routing]
        words += [] if options.fuse else ["--no-fuse"]
    if options.engine != "serial":
        words += ["--workers", options.workers]
        words += ["--partitions", options.partitions, "--partition-by", options.partition_by]
    return words
