"""`streambench simulate run`: an engine on simulated cores, told apart from all that is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.execution.options import Options
from streambench.execution.settled import SCHEMES_UNIT
from streambench.lab.cli.comma_list import numbers
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.runtime_options import at_least_one, runtime_notes
from streambench.lab.cli.shared_options import data_option, parameter_set
from streambench.lab.cli.simulate.simulated_bench import lines_told, memory_told, tell_json
from streambench.lab.cli.simulate.simulated_workload import Fed, Named
from streambench.lab.cli.simulate.simulation_options import (
    OF_ENGINES,
    check_rows_out,
    machine,
    machine_options,
    profiles_option,
    rows_out,
)
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.data_description import describe
from streambench.lab.record.measured_points import Measured, measured
from streambench.lab.record.summary import duration, human
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.show.output import STDOUT
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.simulate import SATURATED, Simulated, require_simulable, simulate

DRAWN = "Of what is drawn from the profile."
FEW_UNITS = 10  # for each core: of fewer, how a run begins and ends is a large part


@click.command()
@click.argument("query")
@data_option
@click.option(
    "--cores", type=numbers(int, 1), default="1,2,4,8,16", show_default=True, help="How many, each with a worker."
)
@machine_options(DRAWN)
@profiles_option
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
@rows_out("rows")
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
    topology, told = machine(given["topology"], given["seed"], given["cores"])
    options = simulable(ctx, given["cores"], laps=given["laps"], **OF_ENGINES.values(given))
    name, place = given["query"], given["json_out"]
    named = Named.of(name, given["data"])
    check_rows_out(place, [given[name] for name in ("profiles", "against", "data")], named.data)
    beside = None if given["against"] is None else _beside(given, options, named.data)
    with LiveLine() as line:
        workload = named.workload(given["parameters"], line)
        fed = Fed.of(workload, given["profiles"], line)
        found = simulate(
            workload,
            options,
            given["cores"],
            topology=topology,
            times=fed.times,
            seed=given["seed"],
            report=lambda doing, done, total: line.step(doing, done, total, "tuples"),
            profiled=fed.profiled,
        )
    against = None if beside is None else asdict(beside)
    about = {"query": name, "engine": options.named_engine, **told, "against": against, "profiles": fed.told}
    fed.tell_warnings()
    tell_warnings(Console(stderr=True), few_units(found, options.unit))
    tell_json(place, about, fed.times, [each.to_dict() for each in found])
    if place == STDOUT:
        return
    console = Console() if Console().is_terminal else Console(width=150)
    _print(
        console,
        f"{name} by {options.named_engine}",
        f"{topology} ({told['topology_is']})",
        Machine(fed.times, topology),
        found,
        origin=fed.origin,
    )
    if beside is not None:
        _print_beside(console, beside, found)


def simulable(ctx: click.Context, cores: Sequence[int], **given: Any) -> Options:
    """The options of a simulated run, and a note for each that has no effect. Raises OptionError for what is not
    simulated."""
    options = Options.of(preload=True, **given)
    require_simulable(options)
    settled = Options.of(options, workers=max(cores), engine=options.named_engine)
    tell_warnings(Console(stderr=True), runtime_notes(ctx, settled, max(cores)))
    return options


def few_units(found: Sequence[Simulated], unit: int | None) -> list[str]:
    """A note if the stream is too short for the cores, of the fewest for which it is. ``unit``: as was asked for."""
    for each in found:
        size = each.unit or unit or SCHEMES_UNIT
        enough = FEW_UNITS * each.cores
        if each.tuples < enough * size:
            return [
                f"the stream is shorter than {enough} units of {size} tuples, {FEW_UNITS} for each core, so how the "
                "run begins and ends is a large part of it: take a longer stream or a smaller --unit."
            ]
    return []


def _beside(given: dict[str, Any], options: Options, data: Catalog | None) -> Measured:
    """What was measured of the same, over the same data."""
    if data is not None:
        return measured(given["against"], given["query"], options, describe(data), given["parameters"])
    named = {} if given["data"] is None else {"data": given["data"].resolve().name}
    return measured(given["against"], given["query"], options, named)


def _print_beside(console: Console, beside: Measured, found: list[Simulated]) -> None:
    made = Table(title=f"measured in {beside.name}, on {beside.machine}")
    for heading in ("cores", "measured tuples/s", "simulated", "measured latency", "simulated", "runs"):
        made.add_column(heading, justify="right")
    simulated = {each.cores: each for each in found}
    for cores, point in beside.points.items():
        one = simulated.get(cores)
        made.add_row(
            str(cores),
            human(point.throughput),
            "-" if one is None else f"{human(one.throughput)} ({one.throughput / point.throughput - 1:+.0%})",
            duration(point.latency),
            "-" if one is None else f"{duration(one.latency)} ({one.latency / point.latency - 1:+.0%})",
            str(point.runs),
        )
    console.print(made)


def first_and_plan(each: Simulated, chosen: bool) -> list[str]:
    """What saturates first, and where plans are ``chosen`` the last one: cells of a table."""
    told = f"{each.first} ({each.taken:.0%})" if each.taken >= SATURATED else f"nothing; {each.first} {each.taken:.0%}"
    return [told, *([f"{each.plan}, units of {each.unit}"] if chosen else [])]


def _print(
    console: Console,
    name: str,
    topology: str,
    machine: Machine,
    found: list[Simulated],
    *,
    origin: str,
) -> None:
    made = Table(title=f"{name}, simulated")
    for heading in ("cores", "tuples/s", "latency", "at work", "lines", "idle"):
        made.add_column(heading, justify="right")
    made.add_column("first to saturate")
    chosen = any(each.plan is not None for each in found)
    if chosen:
        made.add_column("plan in the end")
    for each in found:
        shares = (f"{share:.0%}" for share in (each.busy, each.waited, each.idle))
        made.add_row(
            str(each.cores), human(each.throughput), duration(each.latency), *shares, *first_and_plan(each, chosen)
        )
    console.print(made)
    times = machine.times
    console.print(
        f"simulated, not measured; topology {topology}. {origin}: one worker's work; "
        f"{lines_told(machine)}; a wake-up {times.wake_up / 1e3:.0f} us; as parts of the work, "
        f"a look at the clock {times.look_at_clock:.0f} ns and a read-modify-write {times.read_modify_write:.0f} ns. "
        f"{memory_told(machine)} `streambench simulate validate` tells how far such numbers are off.",
        soft_wrap=True,
        highlight=False,
    )
