"""`streambench simulate micro`: what stops an engine on so many simulated cores, at a given cost of a tuple."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from streambench.lab.cli.comma_list import numbers
from streambench.lab.cli.micro import operators_option
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.simulate.simulation_frame import (
    MACHINE,
    OF_ENGINES,
    PROFILES,
    ROWS,
    SimulationCall,
    lines_told,
)
from streambench.lab.record.summary import human
from streambench.lab.show.console import LiveLine
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
    "--cores",
    type=numbers(int, 1),
    default="16,64,128",
    show_default=True,
    help="Of the simulated machine: how many, with as many workers.",
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
@MACHINE
@PROFILES
@OF_ENGINES
@ROWS
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
    called = SimulationCall.of(ctx, given, given["cores"])
    operators = tuple(OperatorSpec(kind, given["cost"], state_size=1) for kind in given["operators"])
    spec = MicroSpec(operators, given["tuples"], tuple_size=1)
    called.check_rows_out()
    require_credit(called.options, given["cores"], given["credit_times"])

    def load(line: LiveLine) -> MicroWorkload:
        line.wait("drawing keys and calibrating costs")
        return MicroWorkload(spec)

    found, feed = called.simulated(
        load,
        lambda workload, feed, report: limits(
            workload,
            called.options,
            given["cores"],
            Machine(feed.times, called.topology, called.seed),
            credit_times=given["credit_times"],
            report=report,
            profiled=feed.profiled,
        ),
    )
    title = f"{spec.name}, {given['cost']:g} us a tuple, by {called.options.named_engine}, simulated"
    called.give(
        {"micro": spec.to_dict()},
        feed,
        found,
        [_table(title, found)],
        how=lines_told(feed, called.topology),
        more="The lock of admission is held by the controller's looks, too.",
    )


def _table(title: str, found: list[Limits]) -> Table:
    """A column for each number of cores, a row for each part that is taken, the most at the top."""
    made = Table(title=title)
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
    return made


def _share(each: Limits, name: str) -> str:
    part = each.simulated.parts.get(name, 0.0)
    return f"{part:.0%}, saturated" if part >= SATURATED else f"{part:.0%}"
