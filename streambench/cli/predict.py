"""`streambench predict`: what more cores would give a pipeline, with the band that the simulator's error leaves."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.cli.own_pipelines import own_workloads
from streambench.cli.runtime_options import at_least_one
from streambench.cli.shared_options import data_option, parameter_set
from streambench.cli.simulate import DRAWN, OF_QUERIES
from streambench.cli.simulated_bench import tell_json
from streambench.cli.simulation_options import OF_SCHEMES, machine, machine_options, rows_out
from streambench.data.catalog import Catalog
from streambench.errors import OptionError, StreambenchError
from streambench.execution.options import Options
from streambench.measure.named import named_workloads
from streambench.measure.prediction import Predicted, doublings, predict
from streambench.measure.sweep.progress import rough
from streambench.record import results
from streambench.record.newest_result import newest, result_path
from streambench.record.summary import human
from streambench.record.validation_summary import KIND, Row
from streambench.show.console import LiveLine
from streambench.show.output import STDOUT, check_places
from streambench.simulate.simulate import SATURATED
from streambench.simulate.times import measure
from streambench.workloads.own_workload import OwnWorkload
from streambench.workloads.workload import Workload

RESULTS = Path("results")


@click.command()
@click.argument("pipeline")
@data_option
@click.option("--cores", type=int, default=16, show_default=True, help="The most; the curve goes there by doublings.")
@click.option(
    "--validation",
    metavar="FILE|latest",
    help="The result of `streambench validate` that the band is of.  [default: the newest in results/, if any]",
)
@machine_options(DRAWN)
@OF_SCHEMES
@click.option(
    "--laps", type=int, default=1, show_default=True, callback=at_least_one, help="Replay a query's stream that often."
)
@parameter_set
@rows_out("curve")
def command(**given: Any) -> None:
    """Predict what PIPELINE (module:function, or a query) would do on more cores, by the engine schemes.

    One profile run here feeds the simulator for each number of cores. Each number comes with the band in which nine of
    ten real runs lay where both were had, and with what saturates first. Nothing that is printed was measured on so
    many cores.

    \b
    Examples:
      streambench predict readings:build --cores 16
      streambench predict readings:build --data readings.parquet --cores 64 --topology 2x32
      streambench predict q1 --data data/sf0.05 --cores 16 --unit 256 --json -
    """
    topology, told = machine(given["topology"], given["seed"], doublings(given["cores"]))
    name, place = given["pipeline"], given["json_out"]
    options = Options.of(engine="schemes", laps=given["laps"], preload=True, **OF_SCHEMES.values(given))
    named_workloads([name])
    source, validation = _validation(given["validation"])
    own = own_workloads([name], None, OF_QUERIES, given["data"]).get(name)
    if own is None and given["data"] is None:
        raise OptionError(f"{name} needs a data directory: name it with --data.")
    data = Catalog.open(given["data"]) if own is None else None
    check_places({} if place in (None, STDOUT) else {"--json": place}, data)
    with LiveLine() as line:
        workload: Workload | OwnWorkload
        if own is not None:
            workload = own
        else:
            assert data is not None, "it has been opened"
            workload = Workload(name, data, given["parameters"], progress=line.step)
        line.wait("measuring what cores take to share")
        times = measure()
        began: dict[str, float] = {}

        def report(doing: str, done: int, total: int) -> None:
            since = time.perf_counter() - began.setdefault(doing, time.perf_counter())
            left = f", {rough(since / done * (total - done))} left" if done and done < total else ""
            line.step(f"{doing}{left}", done, total, "tuples")

        found = predict(
            workload,
            options,
            given["cores"],
            validation,
            topology=topology,
            times=times,
            seed=given["seed"],
            report=report,
        )
    about = {"pipeline": name, **told, "validation": source}
    tell_json(place, about, times, [each.to_dict() for each in found])
    if place == STDOUT:
        return
    console = Console() if Console().is_terminal else Console(width=150)
    _print(console, name, f"{topology} ({told['topology_is']})", source, found)


def _validation(source: str | None) -> tuple[str | None, list[Row]]:
    """The name and the rows of the result that the band is of; none where none is named and there is none."""
    if source is None:
        try:
            path = newest(RESULTS, (KIND,))
        except StreambenchError:
            return None, []
    else:
        path = result_path(source, (KIND,))
    found = results.read(path)
    if found["kind"] != KIND:
        raise StreambenchError(f"{path} is a result of `streambench {found['kind']}`, not of `streambench {KIND}`")
    return path.name, found["summary"]


def _print(console: Console, name: str, topology: str, source: str | None, found: list[Predicted]) -> None:
    made = Table(title=f"{name} by schemes, simulated")
    for heading in ("cores", "tuples/s", "nine of ten", "latency ms", "nine of ten"):
        made.add_column(heading, justify="right")
    made.add_column("first to saturate")
    for each in found:
        one = each.simulated
        low, high = each.throughput_band or (None, None)
        soon, late = each.latency_band or (None, None)
        made.add_row(
            str(one.cores),
            human(one.throughput),
            "-" if low is None or high is None else f"{human(low)} to {human(high)}",
            f"{1e3 * one.latency:.3f}",
            "-" if soon is None or late is None else f"{1e3 * soon:.3f} to {1e3 * late:.3f}",
            f"{one.first} ({one.taken:.0%})" if one.taken >= SATURATED else f"nothing; {one.first} {one.taken:.0%}",
        )
    console.print(made)
    last = found[-1]
    rests = "no band: nothing was compared with real runs; `streambench validate` does so."
    if last.throughput_band is not None:
        rests = (
            f"The bands are of {last.compared} configurations on up to {last.compared_to} cores ({source}); of more "
            "cores none was compared."
        )
    console.print(f"simulated, not measured; topology {topology}. {rests}", soft_wrap=True, highlight=False)
