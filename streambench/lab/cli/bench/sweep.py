"""`streambench bench sweep`: any product of workloads and configurations, measured side by side."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError, StreambenchError
from streambench.lab.cli.bench.sweep_axes import AXES, MICRO_ONLY, OF_SCHEMES, given_axes
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.data_to_make import check_data_to_make, refuse_given
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.cli.shared_options import data_option, oracle, parameter_set, restart, results_folder, within
from streambench.lab.cli.simulate import simulated_sweep
from streambench.lab.cli.simulate.simulated_sweep import SIMULATED
from streambench.lab.data import data_description
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.measure.sweep.measure import Sweep, overhead
from streambench.lab.measure.sweep.presets import FIGURES, NO_PRESET, PRESETS, preset
from streambench.lab.measure.sweep.product import Product, listed, merged
from streambench.lab.measure.sweep.progress import SweepProgress, rough
from streambench.lab.measure.sweep.repeat_command import repeat_command
from streambench.lab.measure.sweep.schedule import Schedule, expected_seconds
from streambench.lab.measure.time_limit import TimeLimit
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Record, data_state, identity
from streambench.lab.record.journaled_document import begin, document, end
from streambench.lab.record.statistics import FEWEST_REPEATS
from streambench.lab.show.console import LiveLine, tell_warnings
from streambench.lab.show.sweep_table import table
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.lab.workloads.pipeline_function import is_own

OF_QUERIES = ("scale_factor", "parameters")
VARYING = {"workers": "workers", "heuristics": "heuristic", "reorder": "reorder", "partitioning": "partitioning"}


@click.command()
@click.option(
    "--preset", "chosen", type=click.Choice(PRESETS), help="What the paper's figures need, or few points of it."
)
@click.option(
    "--figures", "only", type=words(), metavar="N,..", help=f"Only these figures of the preset: {listed(FIGURES)}."
)
@AXES
@SIMULATED
@oracle
@click.option("--repeats", type=int, metavar="N", help="Runs of each configuration.  [default: 9; quick: 6]")
@click.option(
    "--run-time",
    "seconds",
    callback=parse_duration,
    metavar="TIME",
    help="What a run lasts, on the average over a workload's parallel configurations.  "
    "[default: 1s; paper: 600ms; quick: 500ms]",
)
@click.option(
    "--budget",
    callback=parse_duration,
    metavar="TIME",
    help="How long the whole may take: runs are made shorter for it.  [default: none; quick: 4m]",
)
@data_option
@click.option(
    "--scale-factor",
    type=float,
    metavar="X",
    help="Without --data: of the data that is generated and kept in data/.  [default: 0.05; quick: 0.005]",
)
@parameter_set
@results_folder("Where the dated result file goes, and until it is finished the journal.")
@within
@restart
@click.option("--dry-run", is_flag=True, help="Only print the schedule, and about how long it takes.")
def command(**given: Any) -> None:
    """Measure the product of all values given: every configuration over every query, own or parametric pipeline.

    Runs are interleaved, repeated, and every one is checked; the serial engine runs along as the baseline. Nothing is
    tuned. A call that was interrupted goes on where it stopped when it is given again. With a preset, --queries,
    --micro and names of schemes keep what they name of it, and numbers take the place of its own. An own pipeline's
    module:function returns a new Pipeline in every call; its runs last as long as its stream.

    \b
    Examples:
      streambench bench sweep --preset quick
      streambench bench sweep --preset paper --figures 8,14 --queries q1,q4 --repeats 3
      streambench bench sweep --queries q1 --heuristics ct,lp --workers 1,2,4 --units 1,256
      streambench bench sweep --micro ps --keys normal --sigmas 0.1,1 --partition-by range --dry-run
      streambench bench sweep --queries readings:build --oracle records.sql --heuristics ct,lp --workers 1,2
    """
    simulated_sweep.require_consistent(given)
    schedule, scale_factor = _schedule(given)
    check_data_to_make("scale_factor")
    if not any(isinstance(each.workload, str) for each in schedule.comparisons):
        refuse_given("is of queries and own pipelines, and none is measured", "data", "scale_factor", "parameters")
    settings = simulated_sweep.settings_of(given, schedule) if given["simulated"] else None
    console, messages = Console(), Console(stderr=True)
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150)
    if given["dry_run"]:
        _print_schedule(console, schedule, simulated=given["simulated"])
        return
    results.check_folder(given["folder"])
    of_own = None if schedule.queries() else given["data"]
    own = own_workloads([each.name for each in schedule.comparisons], given["oracle"], OF_QUERIES, of_own)
    data, described = _data(given, schedule, scale_factor)
    described |= {"data": of_own.resolve().name} if own and of_own is not None else {}
    described |= {} if given["oracle"] is None else {"oracle": given["oracle"].name}
    state = data_state(data, schedule.queries(), schedule.parameter_set)
    state += [each.state() for each in own.values()]
    if settings is not None:
        simulated_sweep.run(given, settings, data, own, described, state, console)
        return
    call = begin()
    tell_warnings(messages, call["warnings"])
    key = identity(schedule.describe(), state, call["machine"])
    with Journal(given["folder"], "sweep", key, restart=given["restart"]) as journal:
        found = _measure(schedule, data, own, journal, described, call, TimeLimit(given["within"]))
        made, hidden = table(found["summary"])
        console.print(made)
        if hidden:
            console.print(f"{hidden} more rows, of fewer workers, are in the result file.")
        tell_warnings(messages, found["warnings"], told=call["warnings"])
        written = results.write(found, given["folder"])
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    wrong = [run for run in found["runs"] if run["throughput"] is None]
    if wrong:
        again = repeat_command(wrong[0], _place(given, scale_factor, wrong[0]))
        raise StreambenchError(
            f"{len(wrong)} of {len(found['runs'])} runs were wrong and have no number, the first because "
            f"{wrong[0]['problem']}; repeat one with: {again}"
        )
    if all(each.workload in own for each in schedule.comparisons):
        return  # no figure and no claim is of these
    told = f"next: streambench figures {written}; streambench claims {written}"
    console.print(told, soft_wrap=True, markup=False)


def _place(given: dict[str, Any], scale_factor: float, run: Record) -> list[object]:
    """The options that name what a run has read."""
    if run["micro"] is not None:
        return []
    if is_own(run["query"]):
        return [word for name in ("data", "oracle") if given[name] for word in (f"--{name}", given[name])]
    place = ["--data", given["data"]] if given["data"] else ["--scale-factor", scale_factor]
    return place + (["--parameters", given["parameters"]] if given["parameters"] != "paper" else [])


def _schedule(given: dict[str, Any]) -> tuple[Schedule, float]:
    """The schedule, and the scale factor of the data that is generated for it."""
    base, changed = NO_PRESET, given_axes(given)
    if given["chosen"]:
        for name in filter(is_own, changed.get("queries", ())):
            raise OptionError(f"{name} is an own pipeline, and no preset has one: leave out --preset, or the pipeline.")
        counts = given["workers"] or (simulated_sweep.workers(given["chosen"]) if given["simulated"] else ())
        base = preset(given["chosen"], counts, simulated_sweep.ends(counts) if given["simulated"] else ())
        changed = {name: value for name, value in changed.items() if name != "workers" or not given["simulated"]}
        comparisons = base.comparisons(given["only"] or (), changed)
    elif given["only"]:
        raise OptionError("--figures picks figures of a preset: add --preset paper or --preset quick.")
    else:
        for name in MICRO_ONLY if "micro" not in changed else ():
            if name in changed:
                raise OptionError(f"`{name}` belongs to --micro: leave it out, or name kinds of operators.")
        for name in OF_SCHEMES if "schemes" not in changed.get("engines", Product.engines) else ():
            if name in changed:
                flag = "--no-fuse" if name == "fuse" else f"`{name}`"
                raise OptionError(f"{flag} belongs to the engine schemes: leave it out, or name that engine.")
        for name, keys in (("sigmas", "normal"), ("exponents", "zipf")):
            if name in changed and keys not in changed.get("keys", Product.keys):
                raise OptionError(f"--{name} belongs to --keys {keys}: leave it out, or choose that.")
        if given["simulated"]:
            changed = {"workers": simulated_sweep.workers(None), **changed}
        comparisons = merged(Product(**changed).comparisons())
    settings = {
        name: getattr(base, name) if given[name] is None else given[name]
        for name in ("repeats", "seconds", "budget", "scale_factor")
    }
    if given["simulated"]:  # runs last as long as their streams, and a repeat more tells little
        settings |= {"seconds": NO_PRESET.seconds, "budget": None}
        settings["repeats"] = FEWEST_REPEATS if given["repeats"] is None else given["repeats"]
    scale_factor = settings.pop("scale_factor")
    return Schedule(comparisons, parameter_set=given["parameters"], **settings), scale_factor


def _data(given: dict[str, Any], schedule: Schedule, scale_factor: float) -> tuple[Catalog | None, dict[str, Any]]:
    """What its queries read, generated where none is named, and what to say of it."""
    if not schedule.queries():
        return None, {}
    if given["data"] is not None:
        found = Catalog.open(given["data"])
        return found, data_description.describe(found)
    with LiveLine() as line:
        path = generated(
            scale_factor, progress=lambda step, done: line.step(f"generating {step}", round(100 * done), 100, "%")
        )
    found = Catalog.open(path)
    return found, data_description.describe(found)


def _measure(
    schedule: Schedule,
    data: Catalog | None,
    own: dict[str, OwnWorkload],
    journal: Journal,
    parameters: dict[str, Any],
    call: Record,
    limit: TimeLimit,
) -> dict[str, Any]:
    """The result document of a schedule, of which some may have been measured by earlier calls."""
    total = sum(1 for _ in schedule.points())
    with SweepProgress(total) as progress, limit.stopped_by_signal():
        sweep = Sweep(schedule, data, journal, progress.report, own, limit)
        progress.begin(len(sweep.runs))
        journal.append(call)
        try:
            runs = sweep.measure()
        except KeyboardInterrupt:
            progress.say(
                f"interrupted; {len(sweep.runs)} of {total} points are kept, the same command goes on from there"
            )
            raise SystemExit(130) from None
    journal.append(end())
    return document("sweep", {**parameters, **schedule.settings(), "points": len(runs)}, runs, journal.records)


def _print_schedule(console: Console, schedule: Schedule, *, simulated: bool) -> None:
    made = Table(title="schedule")
    made.add_column("workload")
    for name in ("configurations", "points"):
        made.add_column(name, justify="right")
    for name in VARYING:
        made.add_column(name)
    for number, comparison in enumerate(schedule.comparisons):
        parallel = [options for options in comparison.configurations if options.engine != "serial"]
        found = ([getattr(options, name) for options in parallel] for name in VARYING.values())
        values = (dict.fromkeys(each for each in values if each is not None) for values in found)
        points = sum(1 for _ in schedule.points_of(number))
        made.add_row(
            comparison.name, str(len(comparison.configurations)), str(points), *(listed([*each]) for each in values)
        )
    console.print(made)
    total = sum(1 for _ in schedule.points())
    if simulated:
        console.print(f"{len(schedule.comparisons)} comparisons, {total} points, simulated")
        return
    lasts = rough(expected_seconds(schedule, overhead()))
    console.print(
        f"{len(schedule.comparisons)} comparisons, {total} points, about {lasts}"
        + (", and what it takes to generate the data if it is not there yet" if schedule.queries() else "")
    )
