"""`streambench bench sweep`: any product of workloads and configurations, measured side by side."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import OptionError
from streambench.lab.cli.bench.bench_frame import WITHOUT_FIGURES, FrameOptions, frame_options
from streambench.lab.cli.bench.bench_options import seconds
from streambench.lab.cli.bench.bench_progress import rough
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.bench.sweep_axes import AXES, MICRO_ONLY, OF_SCHEMES, named_axes
from streambench.lab.cli.bench.sweep_frame import SweepFrame
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.data_to_make import check_data_to_make, refuse_given
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.options import command_of, command_options, group, option, shared
from streambench.lab.cli.shared_options import ParameterSet, data_option, oracle, parameter_set
from streambench.lab.cli.simulate import simulated_sweep
from streambench.lab.cli.simulate.simulated_sweep import SIMULATED, SimulatedOptions
from streambench.lab.measure.sweep.bench import SweepBench, overhead
from streambench.lab.measure.sweep.presets import FIGURES, NO_PRESET, PRESETS, preset
from streambench.lab.measure.sweep.product import Product, listed, merged
from streambench.lab.measure.sweep.repeat_command import repeat_command
from streambench.lab.measure.sweep.schedule import Schedule, expected_seconds
from streambench.lab.record.journal import Record
from streambench.lab.record.statistics import FEWEST_REPEATS
from streambench.lab.workloads.operator_cost import OperatorCost
from streambench.lab.workloads.pipeline_function import is_own

NEXT = "next: streambench figures {0}; streambench claims {0}"
OF_QUERIES = ("scale_factor", "parameters")
VARYING = {"workers": "workers", "heuristics": "heuristic", "reorder": "reorder", "partitioning": "partitioning"}


@command_options
class SweepOptions:
    """What is swept, how, over which data. ``chosen``: the preset; ``only``: figures of it."""

    chosen: str | None = option(
        "What the paper's figures need, or few points of it.", spelled="--preset", type=click.Choice(PRESETS)
    )
    only: tuple[str, ...] | None = option(
        f"Only these figures of the preset: {listed(FIGURES)}.", spelled="--figures", type=words(), metavar="N,.."
    )
    axes: dict[str, Any] = group(AXES, named_axes)
    simulated: SimulatedOptions = group(SIMULATED, SimulatedOptions)
    oracle: Path | None = shared(oracle)
    repeats: int | None = option("Runs of each configuration.  [default: 9; quick: 6]", metavar="N")
    seconds: float | None = seconds(
        "What a run lasts, on the average over a workload's parallel configurations.  "
        "[default: 1s; paper: 600ms; quick: 500ms]",
        spelled="--run-time",
    )
    budget: float | None = option(
        "How long the whole may take: runs are made shorter for it.  [default: none; quick: 4m]",
        callback=parse_duration,
        metavar="TIME",
    )
    data: Path | None = shared(data_option)
    scale_factor: float | None = option(
        "Without --data: of the data that is generated and kept in data/.  [default: 0.05; quick: 0.005]", metavar="X"
    )
    parameters: ParameterSet = shared(parameter_set)
    frame: FrameOptions = frame_options("within", "restart", "keeps_journal", folder=WITHOUT_FIGURES)
    dry_run: bool = option("Only print the schedule, and about how long it takes.")


@command_of(SweepOptions)
def command(options: SweepOptions) -> None:
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
    simulated, frame = options.simulated, options.frame
    costs = options.axes.get("operator_costs")
    measured = {"seconds": options.seconds, "budget": options.budget, "oracle": options.oracle, "operator_costs": costs}
    simulated.require_consistent(measured)
    schedule, scale_factor = _schedule(options)
    check_data_to_make("scale_factor")
    if not any(isinstance(each.workload, str) for each in schedule.comparisons):
        refuse_given("is of queries and own pipelines, and none is measured", "data", "scale_factor", "parameters")
    on_cores = simulated.schedule(schedule) if simulated.simulated else None
    if options.dry_run:
        _print_schedule(schedule, simulated=simulated.simulated)
        return
    named = list(dict.fromkeys(OperatorCost.of_workload(name)[0] for name in schedule.named()))
    source = BenchSource.of(
        named,
        options.data,
        schedule.parameter_set,
        {"scale_factor": scale_factor},
        oracle=options.oracle,
        of_queries=OF_QUERIES,
    )
    only_own = set(source.own) == {each.workload for each in schedule.comparisons}  # no figure and no claim is of these
    if on_cores is None:
        shown = SweepFrame(frame, partial(_again, options, scale_factor), "" if only_own else NEXT)
        shown.run(SweepBench(schedule), source)
    else:
        simulated_sweep.run(frame, on_cores, simulated.profiles, source, "" if only_own else simulated_sweep.NEXT)


def _again(options: SweepOptions, scale_factor: float, run: Record) -> str:
    """The command that repeats a run."""
    return repeat_command(run, _place(options, scale_factor, run))


def _place(options: SweepOptions, scale_factor: float, run: Record) -> list[object]:
    """The options that name what a run has read."""
    if run["micro"] is not None:
        return []
    if is_own(run["query"]):
        places = {"--data": options.data, "--oracle": options.oracle}
        return [word for name, place in places.items() if place for word in (name, place)]
    place = ["--data", options.data] if options.data else ["--scale-factor", scale_factor]
    return [*place, *(["--parameters", options.parameters] if options.parameters != "paper" else [])]


def _schedule(options: SweepOptions) -> tuple[Schedule, float]:
    """The schedule, and the scale factor of the data that is generated for it."""
    base, changed, simulated = NO_PRESET, options.axes, options.simulated.simulated
    if options.chosen:
        for name in filter(is_own, changed.get("queries", ())):
            raise OptionError(f"{name} is an own pipeline, and no preset has one: leave out --preset, or the pipeline.")
        counts = changed.get("workers") or (simulated_sweep.workers(options.chosen) if simulated else ())
        of_cores: dict[str, Any] = {"ends": simulated_sweep.ends(counts), "credit": None} if simulated else {}
        base = preset(options.chosen, counts, **of_cores)
        changed = {name: value for name, value in changed.items() if name != "workers" or not simulated}
        comparisons = base.comparisons(options.only or (), changed)
    elif options.only:
        raise OptionError("--figures picks figures of a preset: add --preset paper or --preset quick.")
    else:
        for name in MICRO_ONLY if "micro" not in changed else ():
            if name in changed:
                raise OptionError(f"`{name}` belongs to --micro: leave it out, or name kinds of operators.")
        if "operator_costs" in changed and "queries" not in changed:
            raise OptionError("`operator-costs` are of queries: leave them out, or name --queries.")
        for name in OF_SCHEMES if "schemes" not in changed.get("engines", Product.engines) else ():
            if name in changed:
                flag = "--no-fuse" if name == "fuse" else f"`{name}`"
                raise OptionError(f"{flag} belongs to the engine schemes: leave it out, or name that engine.")
        for name, keys in (("sigmas", "normal"), ("exponents", "zipf")):
            if name in changed and keys not in changed.get("keys", Product.keys):
                raise OptionError(f"--{name} belongs to --keys {keys}: leave it out, or choose that.")
        if simulated:
            changed = {"workers": simulated_sweep.workers(None), **changed}
        comparisons = merged(Product(**changed).comparisons())
    settings = {
        name: getattr(base, name) if getattr(options, name) is None else getattr(options, name)
        for name in ("repeats", "seconds", "budget", "scale_factor")
    }
    if simulated:  # runs last as long as their streams, and a repeat more tells little
        settings |= {"seconds": NO_PRESET.seconds, "budget": None}
        settings["repeats"] = FEWEST_REPEATS if options.repeats is None else options.repeats
    scale_factor = settings.pop("scale_factor")
    return Schedule(comparisons, parameter_set=options.parameters, **settings), scale_factor


def _print_schedule(schedule: Schedule, *, simulated: bool) -> None:
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150)
    shown = Table(title="schedule")
    shown.add_column("workload")
    for name in ("configurations", "points"):
        shown.add_column(name, justify="right")
    for name in VARYING:
        shown.add_column(name)
    for number, comparison in enumerate(schedule.comparisons):
        parallel = [options for options in comparison.configurations if options.engine != "serial"]
        varied = ([getattr(options, name) for options in parallel] for name in VARYING.values())
        values = (dict.fromkeys(each for each in values if each is not None) for values in varied)
        points = sum(1 for _ in schedule.points_of(number))
        shown.add_row(
            comparison.name, str(len(comparison.configurations)), str(points), *(listed([*each]) for each in values)
        )
    console.print(shown)
    total = sum(1 for _ in schedule.points())
    if simulated:
        console.print(f"{len(schedule.comparisons)} comparisons, {total} points, simulated")
        return
    lasts = rough(expected_seconds(schedule, overhead()))
    console.print(
        f"{len(schedule.comparisons)} comparisons, {total} points, about {lasts}"
        + (", and what it takes to generate the data if it is not there yet" if schedule.queries() else "")
    )
