"""Verification: every engine, number of workers, unit size and partition count gives one sequence and SQL's answer.

The reference is the serial engine, one tuple at a time. Compared with it are the digest of the sink's output sequence
and the digest of every operator's ordered output, where both engines have one; the answer is compared with SQL's.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench import oracle
from streambench.catalog import Catalog
from streambench.errors import OptionError
from streambench.execute import Watch
from streambench.options import ENGINES, Options
from streambench.pipeline import Pipeline
from streambench.queries import query as queries
from streambench.workload import Workload

WORKERS = (1, 2, 3, 4, 8)
UNITS = (1, 7, 64, 1024)
PARTITIONS = (1, 10, 100)
PARAMETER_SETS = ("paper", "kit")
SEGMENTS = (True, False)
LAPS = 3

Step = Callable[[str, int, int], None]
"""Called with (the query, runs done, runs in all) before every run."""


@dataclass(frozen=True)
class Grid:
    """The combinations to be run. Raises OptionError for an empty choice, or one that ``Options`` refuses."""

    engines: Sequence[str] = ENGINES
    workers: Sequence[int] = WORKERS
    units: Sequence[int] = UNITS
    partitions: Sequence[int] = PARTITIONS
    segments: Sequence[bool] = SEGMENTS

    def __post_init__(self) -> None:
        for name in ("engines", "workers", "units", "partitions", "segments"):
            if not getattr(self, name):
                raise OptionError(f"there is nothing to verify: give at least one of {name}.")
        for count in (*self.workers, *self.partitions):
            if count < 1:
                raise OptionError(f"workers and partitions must be at least 1, not {count}.")
        for _ in self.combinations():
            pass

    def combinations(self) -> Iterator[Options]:
        """The options of every run, over a stream in memory; then, of each engine, a run over the files, then laps, and
        partitions by range."""
        base = Options(preload=True, trace=True, pin=False)  # runs that are not timed leave cores to others
        if "serial" in self.engines:
            serial = replace(base, engine="serial")
            yield from (replace(serial, unit=unit) for unit in self.units)
            yield replace(serial, unit=self.units[-1], preload=False)
        if "ordered" in self.engines:
            for workers, unit, partitions, segments in product(
                self.workers, self.units, self.partitions, self.segments
            ):
                yield replace(base, workers=workers, unit=unit, partitions=partitions, segments=segments)
            last = replace(base, workers=self.workers[-1], unit=self.units[-1], partitions=self.partitions[-1])
            yield replace(last, preload=False)
            yield replace(last, laps=LAPS)
            yield replace(last, partition_by="range")


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
    traces: dict[int, int]
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
    combinations = list(grid.combinations())
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
    digests = {}
    traces: dict[int, int] = {}
    for laps in (LAPS, 1):
        options = Options(engine="serial", unit=1, laps=laps, preload=True, trace=True)
        measured, pipeline = workload.run(options, watch, keep=False)
        digests[laps], traces = pipeline.sink.digest, measured.traces
    return _Reference(digests, traces, workload.expected_answer())


def _compare(
    workload: Workload, options: Options, pipeline: Pipeline, traces: dict[int, int], reference: _Reference
) -> tuple[str, str] | None:
    """The first thing that is wrong, as (what, problem)."""
    if options.laps == 1:
        common = sorted(traces.keys() & reference.traces.keys())
        if not common:
            return "operator", "no operator's output sequence could be compared with the serial engine's."
        for place in common:
            if traces[place] != reference.traces[place]:
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
    words += ["--engine", options.engine, "--unit", options.unit]
    if options.engine != "serial":
        words += ["--workers", options.workers, "--partitions", options.partitions]
        words += [] if options.segments else ["--no-segments"]
    words += ["--laps", options.laps] if options.laps > 1 else []
    words += ["--preload" if options.preload else "--no-preload", "--no-pin"]
    return shlex.join(map(str, words))
