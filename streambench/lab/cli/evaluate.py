"""`streambench evaluate`: everything worth measuring on this machine, in the time there is, as one archive."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from streambench.errors import DataError, StreambenchError
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.options import command_of, command_options, option
from streambench.lab.data.catalog import Catalog
from streambench.lab.evaluation import archive
from streambench.lab.evaluation.evaluate import Evaluation, PartRun
from streambench.lab.evaluation.parts import NAMES, PARTS
from streambench.lab.host import interrupts
from streambench.lab.record import results
from streambench.lab.record.journal import data_state


@command_options
class EvaluateOptions:
    """What is evaluated, over which data, for how long."""

    budget: float = option(
        "How long the whole may measure (90s, 8m, 2h).", "8m", callback=parse_duration, metavar="TIME"
    )
    out: Path = option("The folder for results, logs and the archive.", Path("evaluation"))
    parts: tuple[str, ...] = option(f"Only these parts of {','.join(NAMES)}.", type=words(NAMES), metavar="PART,..")
    data: Path | None = option("The data directory of the queries.  [default: generated where it is needed]")
    sweep_data: Path | None = option(
        "The data directory of the sweep, a small one.  [default: generated where it is needed]"
    )


@command_of(EvaluateOptions)
def command(given: EvaluateOptions) -> None:
    """Measure queries, parametric pipelines, plans, paper 000's schemes, joins, top-k and S-NET on all cores.

    The most telling part comes first, each has a share of the time. A part that fails or runs out of time is noted, and
    the next one goes on. At the end, and after Ctrl-C or SIGTERM, one archive holds what is there: results, logs and
    the machine. `streambench import-results` puts its results where figures, claims, report and compare find them.

    \b
    Examples:
      streambench evaluate
      streambench evaluate --budget 2h --out big
      streambench evaluate --budget 90s --parts bench,scaling --data data/sf0.25
    """
    results.check_folder(given.out)
    _check_data("--data", given.data, "q1")
    _check_data("--sweep-data", given.sweep_data, "q4")
    evaluation = Evaluation(
        [part for part in PARTS if not given.parts or part.name in given.parts],
        given.out,
        given.budget,
        data=given.data and given.data.absolute(),
        sweep_data=given.sweep_data and given.sweep_data.absolute(),
        say=_say,
    )
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
    failed = [run.part for run in evaluation.runs if not run.results]
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
    """Write the archive, and show what was run."""
    evaluation.write()
    try:
        show(evaluation.runs)
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


def show(runs: list[PartRun]) -> None:
    """Print what was run, and how each part went."""
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150)
    made = Table(title="evaluation")
    for name in ("part", "took", "outcome", "results", "why"):
        made.add_column(name, overflow="fold")
    for run in runs:
        cells = (run.part, f"{run.seconds:g} s", run.outcome, "\n".join(run.results), run.problem)
        made.add_row(*map(Text, cells))
    console.print(made)
