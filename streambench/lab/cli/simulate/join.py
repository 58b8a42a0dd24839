"""`streambench simulate join`: joins on simulated cores, told apart from all that is measured."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.simulate.simulated_bench import beside_real, tell_json, tell_origin
from streambench.lab.cli.simulate.simulation_options import check_rows_out, machine, machine_options, rows_out
from streambench.lab.measure.joins.crews import JOINS, TIERS
from streambench.lab.measure.joins.settings import MOST_WINDOW
from streambench.lab.measure.joins.simulated import LATENCY
from streambench.lab.measure.joins.simulated_gates import points as gate_points
from streambench.lab.measure.joins.simulation import CORES, points, simulate_join
from streambench.lab.record.join_summary import GATE
from streambench.lab.record.summary import duration, human
from streambench.lab.show.console import LiveLine
from streambench.lab.show.output import STDOUT
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.simulate import SATURATED
from streambench.lab.simulate.times import measure

MOST_TUPLES = 1 << 20


@click.command()
@click.option(
    "--join",
    "joins",
    type=words(tuple(JOINS)),
    default="scale",
    show_default=True,
    help="Which joins, with commas. handshake has the tier scan only, and no latency.",
)
@click.option("--tiers", type=words(TIERS), default=",".join(TIERS), show_default=True, help="Ways of computing.")
@click.option(
    "--windows", type=numbers(float), default="1", show_default=True, help="Seconds of event time in a window."
)
@click.option(
    "--cores",
    type=numbers(int, 1),
    default=",".join(map(str, CORES)),
    show_default=True,
    help="How many, each with a processing thread.",
)
@click.option("--gates/--no-gates", help="Also simulate gates, with sources and readers up to the most cores.")
@beside_real
@click.option("--latency", is_flag=True, help="Also simulate latency, at 80 % of the rate that is sustained.")
@click.option(
    "--most-tuples",
    type=int,
    default=MOST_TUPLES,
    show_default=True,
    callback=at_least_one,
    metavar="N",
    help="In a window: rates that need more are not tried.",
)
@machine_options("Of the tuples, and of what is drawn.")
@rows_out("rows")
def command(**given: Any) -> None:
    """Simulate paper 001's benchmark of joins on so many cores, a processing thread on each.

    The threads are the join's own, with its tiers, its shares and its merge, on real tuples, and each output is
    checked. What takes time is drawn from runs of single shares, of the merge, and from what cache lines take here.
    Nothing that is printed was measured on so many cores.

    \b
    Examples:
      streambench simulate join --tiers scan,index
      streambench simulate join --join scale,handshake --tiers scan --cores 1,2,4,8
      streambench simulate join --tiers index --windows 1,2 --cores 16,48 --topology 2x24 --latency --json -
    """
    topology, told = machine(given["topology"], given["seed"], given["cores"])
    if not all(0 < each <= MOST_WINDOW for each in given["windows"]):
        raise OptionError(f"--windows must last more than 0 and at most {MOST_WINDOW} seconds.")
    wanted = points(given["joins"], given["tiers"], given["windows"], given["cores"])
    if not wanted:
        raise OptionError(f"the joins {', '.join(given['joins'])} have none of the tiers {', '.join(given['tiers'])}.")
    place = given["json_out"]
    check_rows_out(place, [])
    with LiveLine() as line:
        line.wait("measuring what cores take to share")
        cores = Machine(measure(), topology, given["seed"])
        found = simulate_join(
            wanted,
            cores,
            most_tuples=given["most_tuples"],
            seed=given["seed"],
            latency=given["latency"],
            gates=gate_points(max(given["cores"])) if given["gates"] else [],
            beside_real=given["beside_real"],
            report=lambda what, fraction: line.step("simulating", round(100 * fraction), 100, "%", what),
        )
    tell_json(place, told, cores.times, found)
    if place != STDOUT:
        _print(Console() if Console().is_terminal else Console(width=150), cores, told["topology_is"], found)


def _print(console: Console, cores: Machine, topology_is: str, found: list[dict[str, Any]]) -> None:
    made = Table(title="joins of paper 001, simulated")
    for heading in ("join", "tier", "window"):
        made.add_column(heading)
    for heading in ("cores", "comparisons/s", "tuples/s", "deviation", "p50", "p99", "at work", "lines", "idle"):
        made.add_column(heading, justify="right")
    made.add_column("first to saturate")
    for each in (row for row in found if row["join"] != GATE):
        first, part = each["first"], each["taken"]
        waits = each["latency"] or {}
        made.add_row(
            each["join"],
            each["tier"],
            f"{each['window_seconds']:g} s",
            str(each["threads"]),
            "" if each["measure"] == LATENCY else human(each["comparisons_per_second"]),
            human(each["tuples_per_second"]),
            f"{each['per_thread_deviation']:.2f} %",
            *(duration(waits[name]) if name in waits else "" for name in ("p50", "p99")),
            *(f"{each[name]:.0%}" for name in ("busy", "waited", "idle")),
            f"{first} ({part:.0%})" if part >= SATURATED else f"nothing; {first} {part:.0%}",
        )
    console.print(made)
    if gates := [row for row in found if row["join"] == GATE]:
        _print_gates(console, gates)
    tell_origin(console, cores, topology_is, "single shares, the merge", found)


def _print_gates(console: Console, found: list[dict[str, Any]]) -> None:
    made = Table(title="gates of paper 001, simulated")
    for heading in ("gate", "sources", "readers", "tuples/s", "at work", "lines", "idle"):
        made.add_column(heading, justify="left" if heading == "gate" else "right")
    for each in found:
        made.add_row(
            each["tier"],
            str(each["sources"]),
            str(each["readers"]),
            human(each["tuples_per_second"]) if each["verified"] else "wrong",
            *(f"{each[name]:.0%}" if each["verified"] else "" for name in ("busy", "waited", "idle")),
        )
    console.print(made)
