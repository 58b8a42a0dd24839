"""`streambench simulate micro`: what stops an engine on so many simulated cores, at a given cost of a tuple."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.lab.cli.comma_list import numbers
from streambench.lab.cli.micro import operators_option
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.simulate.run import DRAWN, simulable
from streambench.lab.cli.simulate.simulated_bench import lines_told, memory_told, tell_json
from streambench.lab.cli.simulate.simulated_workload import Fed
from streambench.lab.cli.simulate.simulation_options import (
    OF_ENGINES,
    check_rows_out,
    machine,
    machine_options,
    profiles_option,
    rows_out,
)
from streambench.lab.record.summary import human
from streambench.lab.show.console import LiveLine
from streambench.lab.show.output import STDOUT
from streambench.lab.simulate.limits import Limits, limits, require_credit
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.simulate import SATURATED
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

TOLD = 0.01  # what is taken for less of the time has no row


@click.command()
@operators_option("ps")
@click.option(
    "--cost",
    type=float,
    default=0.1,
    show_default=True,
    metavar="US",
    help="Of each operator on a tuple, microseconds.",
)
@click.option("--tuples", type=int, default=1_000_000, show_default=True, help="How many the stream has.")
@click.option(
    "--cores", type=numbers(int, 1), default="16,64,128", show_default=True, help="How many, each with a worker."
)
@click.option(
    "--credit-times",
    type=int,
    default=4,
    show_default=True,
    callback=at_least_one,
    metavar="N",
    help="Also simulate with so many times the credit.",
)
@machine_options(DRAWN)
@profiles_option
@OF_ENGINES
@rows_out("rows")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Simulate parametric operators on so many cores, and say which part of the time each part of the engine is taken.

    A part is a line that cores want from each other, a lock, a turn, a partition or memory. Whether credit is what
    stops it is told by a second run with more, fed with the same profile. The engine is chosen as
    `run` chooses it. Nothing that is printed was measured on so many cores.

    \b
    Examples:
      streambench simulate micro --unit 1024
      streambench simulate micro --unit 1024 --operators sl --cores 64 --reorder lock --json -
    """
    topology, told = machine(given["topology"], given["seed"], given["cores"])
    options = simulable(ctx, given["cores"], **OF_ENGINES.values(given))
    operators = tuple(OperatorSpec(kind, given["cost"], state_size=1) for kind in given["operators"])
    spec = MicroSpec(operators, given["tuples"], tuple_size=1)
    place = given["json_out"]
    check_rows_out(place, [given["profiles"]])
    require_credit(options, given["cores"], given["credit_times"])
    with LiveLine() as line:
        line.wait("drawing keys and calibrating costs")
        workload = MicroWorkload(spec)
        fed = Fed.of(workload, given["profiles"], line)
        cores = Machine(fed.times, topology, given["seed"])
        found = limits(
            workload,
            options,
            given["cores"],
            cores,
            credit_times=given["credit_times"],
            report=lambda doing, done, total: line.step(doing, done, total, "tuples"),
            profiled=fed.profiled,
        )
    fed.tell_warnings()
    about = {"micro": workload.describe(), "engine": options.named_engine, **told, "profiles": fed.told}
    tell_json(place, about, cores.times, [each.to_dict() for each in found])
    if place == STDOUT:
        return
    console = Console() if Console().is_terminal else Console(width=150)
    _print(console, f"{workload.name}, {given['cost']:g} us a tuple, by {options.named_engine}", found)
    console.print(
        f"simulated, not measured; topology {topology} ({told['topology_is']}). {fed.origin}: one worker's "
        f"work; {lines_told(cores)}; a wake-up {cores.times.wake_up / 1e3:.0f} us. "
        f"{memory_told(cores)} The lock of admission is held by the controller's looks, too.",
        soft_wrap=True,
        highlight=False,
    )


def _print(console: Console, title: str, found: list[Limits]) -> None:
    """A column for each number of cores, a row for each part that is taken, the most at the top."""
    made = Table(title=f"{title}, simulated")
    made.add_column("cores")
    for each in found:
        made.add_column(str(each.simulated.cores), justify="right")
    made.add_row("tuples/s", *(human(each.simulated.throughput) for each in found))
    made.add_row(f"with {found[0].credit_times} times the credit", *(f"{each.gain:+.0%}" for each in found))
    made.add_row("units in flight, at most", *(str(each.credit) for each in found))
    made.add_row("partitions", *(str(each.partitions) for each in found))
    for name in ("busy", "waited", "idle"):
        heading = {"busy": "at work", "waited": "lines"}.get(name, name)
        made.add_row(heading, *(f"{getattr(each.simulated, name):.0%}" for each in found))
    made.add_section()
    most: dict[str, float] = {}
    for each in found:
        for name, part in each.simulated.parts.items():
            most[name] = max(part, most.get(name, 0.0))
    for name in sorted(most, key=lambda name: -most[name]):
        if most[name] >= TOLD:
            made.add_row(name, *(_share(each, name) for each in found))
    console.print(made)


def _share(each: Limits, name: str) -> str:
    part = each.simulated.parts.get(name, 0.0)
    return f"{part:.0%}, saturated" if part >= SATURATED else f"{part:.0%}"
