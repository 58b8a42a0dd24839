"""`streambench sweep`: any product of workloads and configurations, measured side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench import data_description, results
from streambench.catalog import Catalog
from streambench.cli.sweep_axes import MICRO_ONLY, axes, given_axes, words
from streambench.console import LiveLine, tell_warnings
from streambench.errors import OptionError, StreambenchError
from streambench.generated import generated
from streambench.journal import Journal, Record, data_state, identity
from streambench.journaled_document import begin, document, end
from streambench.sweep.measure import Sweep, overhead
from streambench.sweep.plan import Plan, expected_seconds
from streambench.sweep.presets import FIGURES, NO_PRESET, PRESETS, preset
from streambench.sweep.product import Product, listed, merged
from streambench.sweep.progress import SweepProgress, rough
from streambench.sweep.repeat_command import repeat_command
from streambench.sweep.summary import table

VARYING = {"workers": "workers", "heuristics": "scheduler", "reorder": "reorder", "partitioning": "partitioning"}


@click.command(short_help="Measure any product of workloads, heuristics, schemes, workers and more.")
@click.option(
    "--preset", "chosen", type=click.Choice(PRESETS), help="What the paper's figures need, or few points of it."
)
@click.option("--only", callback=words(), metavar="N,..", help=f"Only these figures of the preset: {listed(FIGURES)}.")
@axes
@click.option("--repeats", type=int, metavar="N", help="Runs of each configuration.  [default: 9; quick: 6]")
@click.option(
    "--seconds",
    type=float,
    metavar="S",
    help="What a run lasts, on the average over a workload's ordered configurations.  "
    "[default: 1; paper: 0.6; quick: 0.5]",
)
@click.option(
    "--budget",
    type=float,
    metavar="S",
    help="Seconds that the whole may take: runs are made shorter for it.  [default: none; quick: 240]",
)
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="The data directory.")
@click.option(
    "--scale-factor",
    type=float,
    metavar="X",
    help="Without --data: of the data that is generated and kept in data/.  [default: 0.05; quick: 0.005]",
)
@click.option(
    "--parameters",
    type=click.Choice(("paper", "kit")),
    default="paper",
    show_default=True,
    help="The queries' constants: those of the paper, or of the TPCx-BB kit.",
)
@click.option(
    "--results",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where the dated result file goes, and until it is finished the journal.",
)
@click.option("--restart", is_flag=True, help="Discard what earlier calls of this command have measured.")
@click.option("--dry-run", is_flag=True, help="Only print the plan, and about how long it takes.")
def command(**given: Any) -> None:
    """Measure the product of all values given: every configuration over every query or parametric pipeline.

    Runs are interleaved, repeated, and every one is checked; the serial engine runs along as the baseline. Nothing is
    tuned. A call that was interrupted goes on where it stopped when it is given again. With a preset, --queries,
    --micro and names of schemes keep what they name of it, and numbers take the place of its own.

    \b
    Examples:
      streambench sweep --preset quick
      streambench sweep --preset paper --only 8,14 --queries q1,q4 --repeats 3
      streambench sweep --queries q1 --schedulers ct,lp --workers 1,2,4 --units 1,256
      streambench sweep --micro ps --keys normal --sigmas 0.1,1 --partition-by range --dry-run
    """
    plan, scale_factor = _plan(given)
    console, messages = Console(), Console(stderr=True)
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=140)
    if given["dry_run"]:
        _print_plan(console, plan)
        return
    results.check_folder(given["folder"])
    data, described = _data(given, plan, scale_factor)
    state = data_state(data, plan.queries(), plan.parameter_set)
    call = begin()
    tell_warnings(messages, call["warnings"])
    key = identity(plan.describe(), state, call["machine"])
    with Journal(given["folder"], "sweep", key, restart=given["restart"]) as journal:
        found = _measure(plan, data, journal, described, call)
        made, hidden = table(found["summary"])
        console.print(made)
        if hidden:
            console.print(f"{hidden} more rows, of fewer workers, are in the result file.")
        tell_warnings(messages, found["warnings"], told=call["warnings"])
        written = results.write(found, given["folder"])
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False)
    wrong = [run for run in found["runs"] if run["throughput"] is None]
    if wrong:
        place = ["--data", given["data"]] if given["data"] else ["--scale-factor", scale_factor]
        place += ["--parameters", given["parameters"]] if given["parameters"] != "paper" else []
        again = repeat_command(wrong[0], place if wrong[0]["micro"] is None else [])
        raise StreambenchError(
            f"{len(wrong)} of {len(found['runs'])} runs were wrong and have no number, the first because "
            f"{wrong[0]['problem']}; repeat one with: {again}"
        )
    console.print(
        f"next: streambench figures --results {written}; streambench claims --results {written}", soft_wrap=True
    )


def _plan(given: dict[str, Any]) -> tuple[Plan, float]:
    """The plan, and the scale factor of the data that is generated for it."""
    base, changed = NO_PRESET, given_axes(given)
    if given["chosen"]:
        base = preset(given["chosen"])
        groups = base.groups(given["only"] or (), changed)
    elif given["only"]:
        raise OptionError("--only picks figures of a preset: add --preset paper or --preset quick.")
    else:
        for name in MICRO_ONLY if "micro" not in changed else ():
            if name in changed:
                flag = name.replace("_", "-")
                raise OptionError(f"--{flag} belongs to --micro: leave it out, or name kinds of operators.")
        for name, keys in (("sigmas", "normal"), ("exponents", "zipf")):
            if name in changed and keys not in changed.get("keys", Product.keys):
                raise OptionError(f"--{name} belongs to --keys {keys}: leave it out, or choose that.")
        groups = merged(Product(**changed).groups())
    settings = {
        name: getattr(base, name) if given[name] is None else given[name]
        for name in ("repeats", "seconds", "budget", "scale_factor")
    }
    scale_factor = settings.pop("scale_factor")
    return Plan(groups, parameter_set=given["parameters"], **settings), scale_factor


def _data(given: dict[str, Any], plan: Plan, scale_factor: float) -> tuple[Catalog | None, dict[str, Any]]:
    """What the plan's queries read, generated where none is named, and what to say of it."""
    if not plan.queries():
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
    plan: Plan, data: Catalog | None, journal: Journal, parameters: dict[str, Any], call: Record
) -> dict[str, Any]:
    """The result document of a plan, of which some may have been measured by earlier calls."""
    total = sum(1 for _ in plan.points())
    with SweepProgress(total) as progress:
        sweep = Sweep(plan, data, journal, progress.report)
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
    return document("sweep", {**parameters, **plan.settings(), "points": len(runs)}, runs, journal.records)


def _print_plan(console: Console, plan: Plan) -> None:
    made = Table(title="plan")
    made.add_column("workload")
    for name in ("configurations", "points"):
        made.add_column(name, justify="right")
    for name in VARYING:
        made.add_column(name)
    for number, group in enumerate(plan.groups):
        ordered = [options for options in group.configurations if options.engine != "serial"]
        values = ({getattr(options, name): None for options in ordered} for name in VARYING.values())
        points = sum(1 for _ in plan.points_of(number))
        made.add_row(group.name, str(len(group.configurations)), str(points), *(listed([*each]) for each in values))
    console.print(made)
    total = sum(1 for _ in plan.points())
    console.print(
        f"{len(plan.groups)} groups, {total} points, about {rough(expected_seconds(plan, overhead()))}"
        + (", and what it takes to generate the data if it is not there yet" if plan.queries() else "")
    )
