"""`streambench simulate predict`: what more cores would give a pipeline, and how far off that may be."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.shared_options import data_option, parameter_set
from streambench.lab.cli.simulate.error_band import bands_told, validation_of
from streambench.lab.cli.simulate.run import DRAWN, few_units, first_and_plan, simulable
from streambench.lab.cli.simulate.simulated_bench import memory_told, tell_json
from streambench.lab.cli.simulate.simulated_workload import Fed, Named
from streambench.lab.cli.simulate.simulation_options import (
    OF_ENGINES,
    check_rows_out,
    machine,
    machine_options,
    profiles_option,
    rows_out,
)
from streambench.lab.measure.prediction import Predicted, doublings, predict
from streambench.lab.record.summary import duration, human
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.show.output import STDOUT
from streambench.lab.simulate.machine import Machine


@click.command()
@click.argument("pipeline")
@data_option
@click.option("--cores", type=int, default=16, show_default=True, help="The most; the curve goes there by doublings.")
@click.option(
    "--validation",
    type=LocalPath(),
    metavar="FILE|latest",
    help="The result of `streambench simulate validate` that the band is of.  [default: the newest in results/]",
)
@machine_options(DRAWN)
@profiles_option
@OF_ENGINES
@click.option(
    "--laps", type=int, default=1, show_default=True, callback=at_least_one, help="Replay a query's stream that often."
)
@parameter_set
@rows_out("curve")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Predict what PIPELINE (module:function, or a query) would do on more cores, by the engine schemes or ordered.

    Profile runs here feed the simulator for each number of cores. Each number comes with the band in which nine of ten
    real runs lay where both were had, and with what saturates first. Nothing that is printed was measured on so many
    cores. The engine is chosen as `run` chooses it.

    \b
    Examples:
      streambench simulate predict readings:build --cores 16
      streambench simulate predict readings:build --data readings.parquet --cores 64 --topology 2x32
      streambench simulate predict q1 --data data/sf0.05 --cores 16 --engine ordered
      streambench simulate predict q1 --data data/sf0.05 --cores 16 --unit 256 --json -
    """
    topology, told = machine(given["topology"], given["seed"], doublings(given["cores"]))
    name, place = given["pipeline"], given["json_out"]
    options = simulable(ctx, doublings(given["cores"]), laps=given["laps"], **OF_ENGINES.values(given))
    validation = validation_of(given["validation"])
    named = Named.of(name, given["data"])
    band_of = None if validation is None else validation.path
    check_rows_out(place, [given["profiles"], given["data"], band_of], named.data)
    with LiveLine() as line:
        workload = named.workload(given["parameters"], line)
        fed = Fed.of(workload, given["profiles"], line)
        found = predict(
            workload,
            options,
            given["cores"],
            [] if validation is None else validation.rows,
            topology=topology,
            times=fed.times,
            seed=given["seed"],
            report=lambda doing, done, total: line.step(doing, done, total, "tuples"),
            profiled=fed.profiled,
        )
    fed.tell_warnings()
    tell_warnings(Console(stderr=True), few_units([each.simulated for each in found], options.unit))
    about = {"pipeline": name, "engine": options.named_engine, **told, "profiles": fed.told}
    about |= {"validation": None if validation is None else validation.told}
    tell_json(place, about, fed.times, [each.to_dict() for each in found])
    if validation is not None:
        tell_warnings(Console(stderr=True), validation.warnings)
    if place == STDOUT:
        return
    console = Console() if Console().is_terminal else Console(width=150)
    _print(console, f"{name} by {options.named_engine}", found)
    console.print(
        f"simulated, not measured; topology {topology} ({told['topology_is']}). {fed.origin}: one worker's "
        f"work. {memory_told(Machine(fed.times, topology))} "
        f"{bands_told(validation, options.named_engine, [each.simulated.cores for each in found])}",
        soft_wrap=True,
        highlight=False,
    )


def _print(console: Console, title: str, found: list[Predicted]) -> None:
    made = Table(title=f"{title}, simulated")
    for heading in ("cores", "tuples/s", "nine of ten", "latency", "nine of ten"):
        made.add_column(heading, justify="right")
    made.add_column("first to saturate")
    chosen = any(each.simulated.plan is not None for each in found)
    if chosen:
        made.add_column("plan in the end")
    for each in found:
        one = each.simulated
        low, high = each.throughput_band or (None, None)
        soon, late = each.latency_band or (None, None)
        made.add_row(
            str(one.cores),
            human(one.throughput),
            "-" if low is None or high is None else f"{human(low)} to {human(high)}",
            duration(one.latency),
            "-" if soon is None or late is None else f"{duration(soon)} to {duration(late)}",
            *first_and_plan(one, chosen),
        )
    console.print(made)
