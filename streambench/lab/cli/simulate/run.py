"""`streambench simulate run`: an engine on simulated cores, told apart from all that is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from streambench.execution.options import Options
from streambench.lab.cli.comma_list import numbers
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.shared_options import data_option, parameter_set
from streambench.lab.cli.simulate.simulation_frame import (
    MACHINE,
    OF_ENGINES,
    PROFILES,
    ROWS,
    Column,
    NamedWorkload,
    SimulationCall,
    few_units,
    lines_told,
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


@click.command()
@click.argument("query")
@data_option
@click.option(
    "--cores",
    type=numbers(int, 1),
    default="1,2,4,8,16",
    show_default=True,
    help="Of the simulated machine: how many, with as many workers.",
)
@MACHINE
@PROFILES
@OF_ENGINES
@click.option(
    "--laps", type=int, default=1, show_default=True, callback=at_least_one, help="Replay the stream that often."
)
@parameter_set
@click.option(
    "--against",
    type=LocalPath(path_type=Path),
    metavar="RESULT.json",
    help="A result of a machine with more cores: what was measured there is laid beside what is simulated.",
)
@ROWS
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
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
    called = SimulationCall.of(ctx, given, given["cores"])
    name, named = given["query"], NamedWorkload.of(given["query"], given["data"])
    called.check_rows_out([given["against"], given["data"]], named.data)
    beside = None if given["against"] is None else _beside(given, called.options, named.data)
    found, feed = called.simulated(
        lambda line: named.workload(given["parameters"], line),
        lambda workload, feed, report: simulate(
            workload,
            called.options,
            given["cores"],
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
        found,
        [table(title, COLUMNS, found, lambda each: each), *([] if beside is None else [_table_beside(beside, found)])],
        how=f"{lines_told(feed, called.topology)}; as parts of the work, a look at the clock "
        f"{feed.times.look_at_clock:.0f} ns and a read-modify-write {feed.times.read_modify_write:.0f} ns",
        more="`streambench simulate validate` tells how far such numbers are off.",
        warnings=few_units(found, called.options.unit),
    )


def _beside(given: dict[str, Any], options: Options, data: Catalog | None) -> Measured:
    """What was measured of the same, over the same data."""
    if data is not None:
        return measured(given["against"], given["query"], options, describe(data), given["parameters"])
    named = {} if given["data"] is None else {"data": given["data"].resolve().name}
    return measured(given["against"], given["query"], options, named)


def _table_beside(beside: Measured, found: Sequence[SimulatedRun]) -> Table:
    simulated = {each.cores: each for each in found}

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
