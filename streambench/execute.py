"""One execution of a pipeline by an engine, and what its markers say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench import arrivals, plans, statistics
from streambench.errors import OptionError, StreambenchError
from streambench.lap_counts import LapCounts
from streambench.limits import allowed_cpus
from streambench.options import Options
from streambench.pipeline import Pipeline
from streambench.placement import core_order
from streambench.pyx.clock import ticks_per_second
from streambench.pyx.operator import PartitionedStateful
from streambench.pyx.ordered import OrderedEngine
from streambench.pyx.serial import SerialEngine
from streambench.pyx.sharded import ShardedEngine

Watch = Callable[[int], None]
"""Called some ten times a second with the stream tuples that have reached the sink."""

UNKNOWN_LENGTH_INTERVAL = 1024


class OperatorError(StreambenchError):
    """An operator refused a tuple.

    ``operator``: its name; ``serial``: which of the tuples given to it, counted from 0; ``values``: the tuple;
    ``reason``: the operator's own words. All that came before the tuple has reached the sink, nothing after it.
    """

    def __init__(self, operator: str, serial: int, values: tuple[tuple[str, int], ...], reason: str) -> None:
        self.operator, self.serial, self.values, self.reason = operator, serial, values, reason
        shown = ", ".join(f"{name}={value}" for name, value in values)
        super().__init__(
            f"operator {operator} failed at its tuple with serial number {serial}, counted from 0 ({shown}): {reason}; "
            "all before it has reached the sink, nothing after it."
        )


@dataclass(frozen=True)
class Measurement:
    """What an execution took: see ``RunResult`` for units. Times of markers are seconds since the start.

    ``laps``: what each lap gave the operators; None for a stream that does not come again.
    """

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


def execute(pipeline: Pipeline, options: Options, watch: Watch | None = None, *, profiled: bool = False) -> Measurement:
    """Run ``pipeline`` to the end of its stream.

    ``profiled``: log what every worker does when, with the paper's schemes sample the stages over time; let the serial
    engine, too, take the time of every operator. Raises OperatorError where an operator refuses a tuple, and what a
    source's iterator raised.
    """
    if pipeline.used:
        raise OptionError("this pipeline has been executed: its operators hold state, so build a new one.")
    arrivals.require_end(pipeline.source.total(), options.rate)
    pipeline.used = True
    partitions = options.resolved_partitions()
    for each in pipeline.operators:
        each.prepare(partitions)
    _require_ranges(pipeline, options.partition_by == "range" and options.engine != "serial")
    engine = _engine(pipeline, options, partitions, profiled)
    lap = pipeline.source.lap()
    if lap:
        engine.egress.count_laps(lap)
    engine.run(watch or _look_up)
    problem = getattr(pipeline.source, "error", None)
    if problem is not None:
        raise problem
    _raise_refused(pipeline, engine)
    return _measure(pipeline, engine, options)


def _engine(pipeline: Pipeline, options: Options, partitions: int, profiled: bool) -> Any:
    workers = options.working_workers()
    cpus = core_order(tuple(allowed_cpus()), options.place) if options.pin else ()
    total = pipeline.source.total()
    common = {
        "unit_size": options.resolved_unit(),
        "marker_interval": max(1, total // options.markers) if total else UNKNOWN_LENGTH_INTERVAL,
        "rate": options.rate,
        "cores": cpus if workers <= len(cpus) else (),
    }
    if options.engine == "serial":
        return SerialEngine(pipeline.operators, traced=options.trace, profiled=profiled, **common)
    common["workers"] = workers
    common["credit"] = options.resolved_credit()
    common["by_range"] = options.partition_by == "range"
    by_operator = [partitions] * len(pipeline.operators)
    if options.sharded:
        cuts = plans.cuts(options.plan, pipeline.operators)
        return ShardedEngine(
            pipeline.operators,
            by_operator,
            cuts=cuts if workers > 1 else (0, 0),
            latency_target=options.latency_target,
            free_credit=options.credit is None,
            profiled=profiled,
            **common,
        )
    return OrderedEngine(
        pipeline.operators,
        by_operator,
        **options.resolved_schemes(),
        capacity=options.resolved_capacity(),
        time_slice=options.time_slice,
        window=options.window,
        segments=options.segments,
        traced=options.trace,
        profiled=profiled,
        **common,
    )


def _look_up(tuples: int) -> None:
    """The least a watch can do: a call into Python is where Ctrl-C is noticed while the workers run."""


def _require_ranges(pipeline: Pipeline, by_range: bool) -> None:
    for each in pipeline.operators:
        if by_range and isinstance(each, PartitionedStateful) and each.high_key <= each.low_key:
            raise OptionError(f"operator {each.name} names no range of keys (low_key, high_key): partition by hash.")


def _raise_refused(pipeline: Pipeline, engine: Any) -> None:
    failure = engine.egress.failure()
    if failure is None:
        return
    place, serial, values, reason = failure
    names = pipeline.operators[place - 1].columns
    named = tuple((names[k] if k < len(names) else f"column {k}", value) for k, value in enumerate(values))
    raise OperatorError(pipeline.operators[place].name, serial, named, reason)


def _measure(pipeline: Pipeline, engine: Any, options: Options) -> Measurement:
    index, *at_ticks = engine.egress.markers()
    rate = ticks_per_second()
    entered, operated, left = ((each - engine.begun_ticks) / rate for each in at_ticks)
    seconds = engine.seconds
    tuples = engine.egress.tuples_left()
    end_to_end = None
    if options.rate:
        # A tuple is due when an open loop at this rate would send it, whether or not the pipeline was ready.
        end_to_end = statistics.latency(index / options.rate, left)
    return Measurement(
        tuples=tuples,
        seconds=seconds,
        throughput=statistics.throughput(index, left, tuples, seconds),
        latency=statistics.latency(entered, left),
        latency_operators=statistics.latency(entered, operated),
        latency_end_to_end=end_to_end,
        markers=(index, entered, left),
        profile=[_seconds(each, rate) for each in engine.profile()],
        traces=engine.traces(),
        choices=_choices(pipeline, engine, options) if options.sharded else [],
        laps=LapCounts.of(pipeline.operators, engine.egress.laps_counted()) if pipeline.source.lap() else None,
        timeline=engine.sampled(),
    )


def _choices(pipeline: Pipeline, engine: Any, options: Options) -> list[dict[str, Any]]:
    """What is kept of the controller's choices, in order: which, when, tuples to a unit, units in flight, the plan."""
    names, partitions = [each.name for each in pipeline.operators], options.resolved_partitions()
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
