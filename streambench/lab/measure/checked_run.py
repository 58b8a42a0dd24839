"""A measured run that is checked, as plain values: what `bench queries` and `bench sweep` record of every run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from streambench.execution.execute import Watch
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.resources import resources
from streambench.execution.settled import settle
from streambench.host import core_distance
from streambench.host.ready_memory import make_ready
from streambench.lab.record.configuration import CONFIGURATION
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.workload import Workload

HISTOGRAMS = ("latency_histogram", "latency_end_to_end_histogram")


class Measurable(Protocol):
    """What can be measured: a query over data, a parametric pipeline, or a pipeline of one's own."""

    @property
    def name(self) -> str:
        """The query's name, the kinds of the pipeline's operators, or ``module:function``."""

    @property
    def rows(self) -> int:
        """Tuples of one lap."""

    def describe(self) -> dict[str, Any] | None:
        """The parameters of a parametric pipeline; None for any other."""

    def run(self, options: Options, watch: Watch | None = None, *, keep: bool) -> tuple[Measurement, Pipeline]:
        """Execute it once."""

    def serial_digest(self, laps: int) -> str:
        """The digest of the serial engine's output sequence."""

    def lap_problem(self, laps: int, measured: Measurement) -> str | None:
        """What is wrong with the tuples that each lap has caused, where another program knows them."""


def interleaved(configurations: int, repeats: int) -> Iterator[tuple[int, int]]:
    """Pairs of (repeat, configuration) in the order A B B A, by their numbers.

    Whatever drifts from run to run falls on both sides of a pair alike.
    """
    for repeat in range(repeats):
        order = range(configurations)
        for place in order if repeat % 2 == 0 else reversed(order):
            yield repeat, place


def one_lap(workload: Workload | OwnWorkload, options: Options) -> tuple[Measurement, bool, str | None]:
    """Run a configuration over one lap: what it took, whether its sequence and, where there is SQL for it, its answer
    are right, and the first difference."""
    options = Options.of(options, laps=1)
    measured, pipeline = workload.run(options, keep=workload.answer_needs_rows)
    sequence_ok, answer_ok, problem = workload.check(options, measured, pipeline)
    return measured, sequence_ok and answer_ok is not False, problem


def checked_run(
    workload: Measurable,
    options: Options,
    repeat: int,
    reference: str | None,
    answer_ok: bool | None,
    *,
    histograms: bool = False,
) -> dict[str, Any]:
    """Run once and compare the sequence's digest with ``reference``, and what each lap has caused with SQL's counts.

    ``answer_ok``: whether this configuration's answer was right; None where no other program knows the answer, so that
    the sequence has to speak for it. The cores' distance is taken just before and after a run with several workers, and
    memory is made ready. ``histograms``: also record the whole distributions of latency, some kilobytes.
    """
    make_ready()
    workers = settle(options).workers
    distance = core_distance.longest(workers, options.place) if workers > 1 else None
    measured, pipeline = workload.run(options, keep=False)
    distances = (distance, core_distance.longest(workers, options.place) if workers > 1 else None)
    digest = pipeline.sink.digest
    lap_problem = workload.lap_problem(options.laps, measured)
    right = digest == reference and lap_problem is None
    return {
        **configuration(workload, options),
        "repeat": repeat,
        "tuples": measured.tuples,
        "seconds": measured.seconds,
        "throughput": measured.throughput,
        "latency": measured.latency,
        "latency_operators": measured.latency_operators,
        "latency_end_to_end": measured.latency_end_to_end,
        **({name: getattr(measured, name) for name in HISTOGRAMS} if histograms else {}),
        "offered": measured.offered,
        "steadiness": measured.steadiness,
        "digest": digest,
        "lap_counts": None if measured.laps is None or lap_problem is None else measured.laps.to_dict(),
        "lap_problem": lap_problem,
        "sequence_ok": right,
        "answer_ok": right if answer_ok is None else answer_ok,
        "profile": [_counted(stage) for stage in measured.profile],
        "choices": measured.choices,
        "core_round_trip_ns": distance,
        "core_costs": measured.core_costs,
        "unpinned": list(measured.unpinned),
        **resources(measured, distances),
    }


def _counted(stage: dict[str, Any]) -> dict[str, Any]:
    """A stage of a profile with the events of its reorder buffer that there were."""
    return {**stage, "reorder": {name: count for name, count in stage.get("reorder", {}).items() if count}}


def configuration(workload: Measurable, options: Options) -> dict[str, Any]:
    """What was run and how, with what was chosen where an option was left open."""
    settled = settle(options)
    return {
        "query": workload.name,
        "micro": workload.describe(),
        **{name: getattr(settled, name) for name in CONFIGURATION},
    }


def title(options: Options) -> str:
    """A configuration in a few words."""
    settled = settle(options)
    if settled.engine == "serial":
        return "serial"
    return f"{settled.heuristic or settled.engine}, workers {settled.workers}"
