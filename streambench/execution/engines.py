"""The engine of an execution, made as its settled options say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from streambench.errors import OptionError
from streambench.execution import plans
from streambench.execution.arrival_process import period, schedule
from streambench.execution.engine_registry import maker, on_this_machine
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.settled import Settled
from streambench.host import core_costs
from streambench.host.limits import allowed_cpus
from streambench.host.placement import core_order
from streambench.pyx.engine.serial_engine import SerialEngine
from streambench.pyx.machine import simulated
from streambench.pyx.ordered.ordered_engine import OrderedEngine
from streambench.pyx.tuples.operator import PartitionedStateful

UNKNOWN_LENGTH_INTERVAL = 1024  # tuples between two markers of a stream whose length is not known


def make(
    pipeline: OperatorChain,
    settled: Settled,
    profiled: bool,
    *,
    recorded: bool = False,
    opened: Callable[[], object] | None = None,
) -> Any:
    """Prepare the operators of ``pipeline``, which is used from then on, and return the engine that runs them.

    ``opened``: called when all are open, before the engine looks at them. ``recorded``, of ``ordered`` only: the
    controller writes down its decisions. Raises OptionError, before all this, for a plan that the pipeline cannot have,
    and where keys have no range to be partitioned by.
    """
    cuts = _cuts(pipeline, settled)
    by_range = settled.partition_by != "hash" and settled.engine != "serial"
    if by_range:
        _require_ranges(pipeline)
    bounds = range_bounds(pipeline, settled.partitions) if by_range and settled.partition_by == "quantile" else {}
    pipeline.used = True
    for each in pipeline.operators:
        each.prepare(settled.partitions)
    if opened is not None:
        opened()
    cpus = core_order(tuple(allowed_cpus()), settled.place) if settled.pin else ()
    total = pipeline.source.total()
    common: dict[str, Any] = {
        "unit_size": settled.unit or 0,
        "marker_interval": max(1, total // settled.markers) if total else UNKNOWN_LENGTH_INTERVAL,
        "rate": settled.rate,
        "schedule": schedule(settled.arrivals, settled.rate, settled.arrival_seed, period(settled.arrivals, total))
        if settled.rate
        else None,
        "cores": cpus if settled.at_work <= len(cpus) else (),
        "profiled": profiled,
    }
    if settled.engine == "serial":
        return SerialEngine(pipeline.operators, traced=settled.trace, **common)
    partitions = [settled.partitions] * len(pipeline.operators)
    common["workers"] = settled.at_work
    common["credit"] = settled.credit
    common["by_range"] = by_range
    common["bounds"] = bounds
    if settled.engine == "ordered":
        common |= {
            "cuts": cuts,
            "latency_target": settled.latency_target,
            "free_credit": settled.free_credit,
            "recorded": recorded,
            "costs": _costs(settled.at_work, cpus) if cuts is None else None,
        }
        if simulated.current() is not None:
            return on_this_machine(OrderedEngine)(pipeline.operators, partitions, **common)
        return OrderedEngine(pipeline.operators, partitions, **common)
    return maker(settled.engine)(pipeline.operators, partitions, settled, **common)


def _costs(workers: int, cpus: tuple[int, ...]) -> dict[str, float] | None:
    """What their cores take to share, on the machine that this thread runs on; None: that is not known."""
    if workers < 2:
        return None
    machine = simulated.current()
    if machine is not None:
        simulated_costs: dict[str, float] | None = machine.core_costs(workers)
        return simulated_costs
    return core_costs.known((cpus or tuple(allowed_cpus()))[:workers])


def _cuts(pipeline: OperatorChain, settled: Settled) -> plans.Cuts | None:
    """Of the engine `ordered`; None for another, and where they are chosen while it runs."""
    if settled.engine != "ordered":
        return None
    cuts = plans.cuts(settled.plan, pipeline.operators)
    if settled.at_work == 1 and not settled.keeps_plan:
        return plans.WHOLE
    if plans.deals(settled.plan):
        _require_partitions(settled)
    return cuts


def _require_partitions(settled: Settled) -> None:
    if settled.partitions < 2:
        raise OptionError(
            f"`plan` {settled.plan} needs `partitions` of 2 or more: what is made is shared out among them."
        )
    if settled.partition_by != "hash":
        raise OptionError(
            f"`plan` {settled.plan} shares out what is made by a hash: leave out `partition_by` {settled.partition_by}."
        )


def _require_ranges(pipeline: OperatorChain) -> None:
    for each in pipeline.operators:
        if isinstance(each, PartitionedStateful) and each.high_key <= each.low_key:
            raise OptionError(f"operator {each.name} names no range of keys (low_key, high_key): partition by hash.")


def range_bounds(pipeline: OperatorChain, partitions: int) -> dict[int, list[int]]:
    """Where the ranges of each keyed operator begin, but for the first: at the quantiles of its sample of keys."""
    bounds = {}
    for place, each in enumerate(pipeline.operators):
        if isinstance(each, PartitionedStateful):
            if place not in pipeline.key_samples:
                raise OptionError(
                    f"operator {each.name} has no sample of its keys, as parametric pipelines have: partition by hash "
                    "or range."
                )
            sample = np.sort(np.asarray(pipeline.key_samples[place], np.int64))
            if len(sample):  # of an empty one ranges are equal
                bounds[place] = sample[[len(sample) * k // partitions for k in range(1, partitions)]].tolist()
    return bounds
