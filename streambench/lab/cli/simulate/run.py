"""`streambench simulate run`: an engine on simulated cores, told apart from all that is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from streambench.execution.options import Options
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.shared_options import ParameterSet, data_option, parameter_set
from streambench.lab.cli.simulate.simulation_frame import (
    Column,
    NamedWorkload,
    SimulationCall,
    SimulationOptions,
    few_units,
    lines_told,
    rows_output,
    simulated_cores,
    simulation_options,
    table,
)
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.data_description import describe
from streambench.lab.record.measured_points import Measured, measured
from streambench.lab.record.summary import duration, human
from streambench.lab.simulate.simulate import SimulatedRun, simulate

COLUMNS: list[Column[SimulatedRun]] = [
    ("cores", lambda each: str(each.cores)),
    ("tuples/s", lambda each: human(each.throughput)),
    ("latency", lambda each: duration(each.latency)),
    ("at work", lambda each: f"{each.busy:.0%}"),
    ("lines", lambda each: f"{each.waited:.0%}"),
    ("idle", lambda each: f"{each.idle:.0%}"),
]


@command_options
class SimulateRunOptions:
    """What is simulated, on how many cores."""

    query: str = argument()
    data: Path | None = shared(data_option)
    cores: tuple[int, ...] = simulated_cores("1,2,4,8,16")
    simulation: SimulationOptions = simulation_options()
    laps: int = count("Replay the stream that often.", 1, metavar=None)
    parameters: ParameterSet = shared(parameter_set)
    against: Path | None = option(
        "A result of a machine with more cores: what was measured there is laid beside what is simulated.",
        metavar="RESULT.json",
    )
    json_out: Path | None = shared(rows_output)


@command_of(SimulateRunOptions)
def command(options: SimulateRunOptions) -> None:
    """Simulate QUERY (a query or module:function) on so many cores, by the engine schemes or ordered.

    The workers are the runtime's own, with their decisions, queues and locks, on real tuples; what takes time is drawn
    from profile runs of one worker, and from what cache lines and wake-ups take here. Nothing that is printed was
    measured on so many cores. The engine is chosen as `run` chooses it.

    \b
    Examples:
      streambench simulate run q1 --data data/sf0.05 --cores 1,2,4,8,16,32,64,128
      streambench simulate run q4 --data data/sf0.05 --cores 16,128 --heuristic lp --topology 2x64 --json -
      streambench simulate run q1 --data data/sf0.05 --cores 1,16,64 --plan sharded
      streambench simulate run q1 --data data/sf0.05 --cores 16 --topology 2x32 --profiles q1-profiles.json
    """
    called = SimulationCall.of(options.simulation, options.cores, options.json_out, options.laps)
    name, named = options.query, NamedWorkload.of(options.query, options.data)
    called.check_rows_out([options.against, options.data], named.data)
    beside = None if options.against is None else _beside(options, options.against, called.options, named.data)
    runs, feed = called.simulated(
        lambda line: named.workload(options.parameters, line),
        lambda workload, feed, report: simulate(
            workload,
            called.options,
            options.cores,
            topology=called.topology,
            times=feed.times,
            seed=called.seed,
            report=report,
            profiled=feed.profiled,
        ),
    )
    title = f"{name} by {called.options.named_engine}, simulated"
    called.give(
        {"query": name, "against": None if beside is None else asdict(beside)},
        feed,
        runs,
        [table(title, COLUMNS, runs, lambda each: each), *([] if beside is None else [_table_beside(beside, runs)])],
        how=f"{lines_told(feed, called.topology)}; as parts of the work, a look at the clock "
        f"{feed.times.look_at_clock:.0f} ns and a read-modify-write {feed.times.read_modify_write:.0f} ns",
        more="`streambench simulate validate` tells how far such numbers are off.",
        warnings=few_units(runs, called.options.unit),
    )


def _beside(options: SimulateRunOptions, against: Path, of_engine: Options, data: Catalog | None) -> Measured:
    """What was measured of the same, over the same data."""
    if data is not None:
        return measured(against, options.query, of_engine, describe(data), options.parameters)
    named = {} if options.data is None else {"data": options.data.resolve().name}
    return measured(against, options.query, of_engine, named)


def _table_beside(beside: Measured, runs: Sequence[SimulatedRun]) -> Table:
    simulated = {each.cores: each for each in runs}

    def against(cores: int, name: str, write: Any) -> str:
        if cores not in simulated:
            return "-"
        here, there = getattr(simulated[cores], name), getattr(beside.points[cores], name)
        return f"{write(here)} ({here / there - 1:+.0%})"

    columns: list[Column[int]] = [
        ("cores", str),
        ("measured tuples/s", lambda cores: human(beside.points[cores].throughput)),
        ("simulated", lambda cores: against(cores, "throughput", human)),
        ("measured latency", lambda cores: duration(beside.points[cores].latency)),
        ("simulated", lambda cores: against(cores, "latency", duration)),
        ("runs", lambda cores: str(beside.points[cores].runs)),
    ]
    return table(f"measured in {beside.name}, on {beside.machine}", columns, list(beside.points), None)
