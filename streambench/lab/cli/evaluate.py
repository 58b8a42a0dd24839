"""`streambench evaluate`: everything worth measuring on this machine, in the time there is, as one report."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from streambench.errors import DataError, OptionError, StreambenchError
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.options import command_of, command_options, option
from streambench.lab.data.catalog import Catalog
from streambench.lab.evaluation import archive
from streambench.lab.evaluation.conclusion import conclude
from streambench.lab.evaluation.evaluate import Evaluation, PartRun, clock
from streambench.lab.evaluation.parts import NAMES, PARTS, EvaluatedMachine, EvaluationData
from streambench.lab.evaluation.plan import PlannedPart
from streambench.lab.host import interrupts
from streambench.lab.record import results
from streambench.lab.record.journal import data_state

AS_PUBLISHED = "as-published"
CONCLUSION = (0.1, 90.0)  # of the budget, and seconds at most: for figures, claims and the report


def parse_budget(ctx: click.Context, param: click.Parameter, value: str) -> float | None:
    """A click callback: seconds; None for as published."""
    return None if value == AS_PUBLISHED else parse_duration(ctx, param, value)


@command_options
class EvaluateOptions:
    """What is evaluated, over which data, for how long."""

    budget: float | None = option(
        f"How long the whole may take (90s, 10m, 2h); {AS_PUBLISHED}: as long as the papers' experiments do.",
        "10m",
        callback=parse_budget,
        metavar="TIME",
    )
    out: Path = option("The folder for results, logs, figures, the report and the archive.", Path("evaluation"))
    parts: tuple[str, ...] = option(f"Only these parts of {','.join(NAMES)}.", type=words(NAMES), metavar="PART,..")
    data: Path | None = option("The data directory of the queries.  [default: generated before the time begins]")
    sweep_data: Path | None = option(
        "The data directory of the sweep and the simulation, a small one.  [default: as of the queries]"
    )
    dry_run: bool = option("Only print what would be measured, and about how long it takes.", spelled="--dry-run")
    cores: int | None = option(
        "With --dry-run: plan for a machine of so many cores.  [default: this one]",
        type=click.IntRange(1, 1024),
        metavar="N",
    )


@command_of(EvaluateOptions)
def command(given: EvaluateOptions) -> None:
    """Measure queries, parametric pipelines, plans, the schemes of paper 000, joins, top-k and S-NET on all cores, and
    make one report of it.

    What is measured is planned for the time there is: where it is short there are fewer points, never shorter runs. The
    most telling part comes first. A part that fails or runs out of time is noted, and the next one goes on. The same
    command with more time goes on with what is measured. At the end, and after Ctrl-C or SIGTERM, the folder of --out
    holds results, logs, figures, claims.md, report.html, and one archive of it for `streambench import-results`.

    \b
    Examples:
      streambench evaluate
      streambench evaluate --budget 2h --dry-run --cores 64
      streambench evaluate --budget 2h --out big
      streambench evaluate --budget 3m --parts queries,scaling --data data/sf0.25
    """
    if given.cores is not None and not given.dry_run:
        raise OptionError("--cores plans for another machine: add --dry-run, or leave it out.")
    parts = [part for part in PARTS if not given.parts or part.name in given.parts]
    machine = EvaluatedMachine.here()
    if given.cores is not None:
        machine = EvaluatedMachine(given.cores, given.cores, 1)
    _check_data("--data", given.data, "q1")
    _check_data("--sweep-data", given.sweep_data, "q4")
    data = EvaluationData(given.data and given.data.absolute(), given.sweep_data and given.sweep_data.absolute())
    budget = given.budget
    if budget is not None:
        budget -= min(CONCLUSION[1], CONCLUSION[0] * budget)
    if not given.dry_run:
        results.check_folder(given.out)
        data = data.made(parts, _say)
    evaluation = Evaluation(parts, given.out, budget, machine=machine, data=data, say=_say)
    _show_plan(evaluation, given.budget)
    if given.dry_run:
        return
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _on_hangup)
    try:
        evaluation.measure()
    except KeyboardInterrupt:
        _say("evaluate: stopped; the archive holds all finished runs")
        with interrupts.held():
            _finish(evaluation)
        raise
    _finish(evaluation)
    failed = [run.part for run in evaluation.runs if run.outcome != "left out" and not run.results]
    if failed:
        raise StreambenchError(f"no result of {', '.join(failed)}: {given.out / 'logs'} says why.")


def _check_data(option: str, directory: Path | None, query: str) -> None:
    """Raise DataError for a directory without the tables of a ``query`` that is measured however short the time is."""
    if directory is not None:
        try:
            data_state(Catalog.open(directory), [query], "paper")
        except DataError as problem:
            raise DataError(f"{option}: {problem}") from None


def _finish(evaluation: Evaluation) -> None:
    """Write figures, claims, the report and the archive, and show what was run."""
    evaluation.write()
    try:
        show(evaluation.runs)
        made = conclude(evaluation.out, _say)
        for path in (each for each in made if each.parent == evaluation.out):
            click.echo(f"written: {path}")
    finally:  # a terminal that is gone, or a reader that has ended, takes no archive along
        path, left_out = archive.write(evaluation.out)
    if left_out:
        click.echo(f"left out of the archive, which would be too large: {', '.join(left_out)}", err=True)
    click.echo(f"archive: {path}")


def _say(line: str) -> None:
    """Print progress. A terminal that is gone stops no measurement."""
    with suppress(OSError):
        click.echo(line, err=True)


def _on_hangup(number: int, frame: FrameType | None) -> None:
    """A terminal that is closed stops as Ctrl-C does, once: the shell and the system may both send it."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


def _show_plan(evaluation: Evaluation, budget: float | None) -> None:
    """Print what would be measured, and how long each part takes."""
    machine, planned = evaluation.machine, evaluation.plan()
    cores = f"{machine.cores} core{'s' if machine.cores > 1 else ''}"
    made = Table(title=f"plan for {cores}, {AS_PUBLISHED if budget is None else f'within {clock(budget)}'}")
    for name in ("part", "measures", "points", "about"):
        made.add_column(name, overflow="fold", justify="right" if name == "about" else "left")
    for each in planned:
        points = "left out: no time" if each.level is None else each.level.points
        made.add_row(*map(Text, (each.part.name, each.part.told, points, _about(each))))
    whole = sum(each.seconds for each in planned)
    rest = 0.0 if budget is None else min(CONCLUSION[1], CONCLUSION[0] * budget)
    made.add_section()
    made.add_row("", "figures, claims and the report", "", clock(rest) if rest else "")
    made.add_row("", "the whole", "", clock(whole + rest))
    _console().print(made)


def _about(planned: PlannedPart) -> str:
    return clock(planned.seconds) if planned.level is not None else ""


def show(runs: Sequence[PartRun]) -> None:
    """Print what was run, and how each part went."""
    made = Table(title="evaluation")
    for name in ("part", "points", "took", "outcome", "results", "why"):
        made.add_column(name, overflow="fold")
    for run in runs:
        cells = (run.part, run.points, clock(run.seconds), run.outcome, "\n".join(run.results), run.problem)
        made.add_row(*map(Text, cells))
    _console().print(made)


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=150)  # a file or a pipe: do not fold to 80 columns
