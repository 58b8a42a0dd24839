"""`streambench simulate topk`: heavy hitters on simulated cores, told apart from all that is measured."""

from __future__ import annotations

import math
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.simulate.simulated_bench import beside_real, tell_json, tell_origin
from streambench.lab.cli.simulate.simulation_options import check_rows_out, machine, machine_options, rows_out
from streambench.lab.measure.heavy_hitters.simulation import CORES, ITEMS, SIMULATED, points, simulate_topk
from streambench.lab.record.summary import human
from streambench.lab.show.console import LiveLine
from streambench.lab.show.output import STDOUT
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.simulate import SATURATED
from streambench.lab.simulate.times import measure

MOST_ITEMS = 10_000_000


@click.command()
@click.option("--designs", type=words(SIMULATED), default=",".join(SIMULATED), show_default=True, help="Which designs.")
@click.option("--alphas", type=numbers(float, 0), default="0.5,1.5,2.5", show_default=True, help="The streams' skew.")
@click.option(
    "--cores",
    type=numbers(int, 1),
    default=",".join(map(str, CORES)),
    show_default=True,
    help="How many, each with a stream and its thread.",
)
@beside_real
@click.option(
    "--items",
    type=int,
    default=ITEMS,
    show_default=True,
    callback=at_least_one,
    metavar="N",
    help="Of a stream; fewer where a design takes many steps for each.",
)
@machine_options("Of the items, and of what is drawn.")
@rows_out("rows")
def command(**given: Any) -> None:
    """Simulate paper 002's benchmark of summaries on so many cores, a stream and its thread on each.

    The threads are the designs' own, with their locks, requests and merges, on real items, and each answer is checked.
    What takes time is drawn from runs of one thread, and from what cache lines, locks and waits take here. Nothing that
    is printed was measured on so many cores.

    \b
    Examples:
      streambench simulate topk --designs fast,cooperative --alphas 1.5
      streambench simulate topk --cores 1,2 --beside-real
      streambench simulate topk --designs shared --cores 16,32 --topology 2x16 --json -
    """
    topology, told = machine(given["topology"], given["seed"], given["cores"])
    if not all(math.isfinite(each) and each <= 10 for each in given["alphas"]):
        raise OptionError("--alphas must be from 0 to 10.")
    if given["items"] > MOST_ITEMS:
        raise OptionError(f"--items must be at most {MOST_ITEMS}, not {given['items']}.")
    place = given["json_out"]
    check_rows_out(place, [])
    with LiveLine() as line:
        line.wait("measuring what cores take to share")
        cores = Machine(measure(), topology, given["seed"])
        found = simulate_topk(
            points(given["designs"], given["alphas"], given["cores"]),
            cores,
            items=given["items"],
            seed=given["seed"],
            beside_real=given["beside_real"],
            report=lambda what, fraction: line.step("simulating", round(100 * fraction), 100, "%", what),
        )
    tell_json(place, told, cores.times, found)
    if place != STDOUT:
        _print(Console() if Console().is_terminal else Console(width=150), cores, told["topology_is"], found)


def _print(console: Console, cores: Machine, topology_is: str, found: list[dict[str, Any]]) -> None:
    made = Table(title="summaries of paper 002, simulated")
    made.add_column("design")
    for heading in ("α", "cores", "updates/s", "error bound", "at work", "lines", "idle"):
        made.add_column(heading, justify="right")
    made.add_column("first to saturate")
    for each in found:
        begin = (each["design"], f"{each['alpha']:g}", str(each["threads"]))
        if not each["verified"]:
            made.add_row(*begin, "wrong", *[""] * 4, str(each["problem"]))
            continue
        first, part = each["first"], each["taken"]
        made.add_row(
            *begin,
            human(each["updates_per_second"]),
            f"{100 * each['error_bound']:.4f} %",
            *(f"{each[name]:.0%}" for name in ("busy", "waited", "idle")),
            f"{first} ({part:.0%})" if part >= SATURATED else f"nothing; {first} {part:.0%}",
        )
    console.print(made)
    tell_origin(console, cores, topology_is, "one thread's work", found)
