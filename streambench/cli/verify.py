"""`streambench verify`: check every engine's sequence and answer over a grid of options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from streambench.catalog import Catalog
from streambench.console import LiveLine
from streambench.errors import OptionError, StreambenchError
from streambench.generated import generated
from streambench.grid import PARTITIONS, PLANS, SEGMENTS, UNITS, WORKERS, Grid
from streambench.options import ENGINES, PARTITIONINGS, REORDERS, SCHEDULERS
from streambench.run_summary import stream_console
from streambench.verify import PARAMETER_SETS, Report, verify

GENERATED_SCALE = 0.01
SHOWN_MISMATCHES = 10  # of each query and parameter set
SEGMENT_CHOICES = {"both": SEGMENTS, "on": (True,), "off": (False,)}


def numbers(ctx: click.Context, option: click.Parameter, value: str) -> tuple[int, ...]:
    """Whole numbers from 1 up, with commas between them."""
    try:
        found = tuple(int(word) for word in value.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 1:
        raise OptionError(f"{option.opts[0]} takes whole numbers from 1 up, such as 1,2,8, not {value!r}.")
    return found


def names(choices: Sequence[str]) -> Callable[[click.Context, click.Parameter, str], tuple[str, ...]]:
    """Some of ``choices``, with commas between them."""

    def chosen(ctx: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
        found = tuple(word.strip() for word in value.split(","))
        for name in found:
            if name not in choices:
                raise OptionError(
                    f"{option.opts[0]} takes {' or '.join(choices)}, or several with commas, not {name!r}."
                )
        return found

    return chosen


def _listed(values: Sequence[object]) -> str:
    return ",".join(map(str, values))


@click.command(short_help="Check every engine's sequence and answer over many options.")
@click.argument("queries", nargs=-1, metavar="[QUERY]...")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help=f"The data directory.  [default: scale factor {GENERATED_SCALE}, generated into data/ if it is not there]",
)
@click.option(
    "--parameters",
    type=click.Choice((*PARAMETER_SETS, "all")),
    default="all",
    show_default=True,
    help="The queries' constants.",
)
@click.option(
    "--engines",
    default=_listed(ENGINES),
    show_default=True,
    callback=names(ENGINES),
    metavar="LIST",
    help="What runs them.",
)
@click.option(
    "--plans",
    default=_listed(PLANS),
    show_default=True,
    callback=names(PLANS),
    metavar="LIST",
    help="Of sharded units.",
)
@click.option(
    "--schedulers",
    default=_listed(SCHEDULERS),
    show_default=True,
    callback=names(SCHEDULERS),
    metavar="LIST",
    help="The heuristics.",
)
@click.option(
    "--reorders",
    default=_listed(REORDERS),
    show_default=True,
    callback=names(REORDERS),
    metavar="LIST",
    help="The reordering schemes.",
)
@click.option(
    "--partitionings",
    default=_listed(PARTITIONINGS),
    show_default=True,
    callback=names(PARTITIONINGS),
    metavar="LIST",
    help="The partitioning schemes.",
)
@click.option(
    "--workers", default=_listed(WORKERS), show_default=True, callback=numbers, metavar="LIST", help="Threads."
)
@click.option(
    "--units", default=_listed(UNITS), show_default=True, callback=numbers, metavar="LIST", help="Tuples per work unit."
)
@click.option(
    "--partitions",
    default=_listed(PARTITIONS),
    show_default=True,
    callback=numbers,
    metavar="LIST",
    help="Of each partitioned operator.",
)
@click.option(
    "--segments", type=click.Choice(tuple(SEGMENT_CHOICES)), default="both", show_default=True, help="Fusing on or off."
)
@click.option("--covering", is_flag=True, help="A few runs only, in which every pair of values occurs.")
@click.option("--quiet", is_flag=True, help="No progress and no table; errors only.")
def command(
    queries: tuple[str, ...],
    data: Path | None,
    parameters: str,
    engines: tuple[str, ...],
    plans: tuple[str, ...],
    schedulers: tuple[str, ...],
    reorders: tuple[str, ...],
    partitionings: tuple[str, ...],
    workers: tuple[int, ...],
    units: tuple[int, ...],
    partitions: tuple[int, ...],
    segments: str,
    covering: bool,
    quiet: bool,
) -> None:
    """Run each QUERY (default: all five) with many combinations of the options, and compare.

    The reference is the serial engine, one tuple at a time. Each run's output sequence, and the ordered output of
    each operator in it, must equal the reference's; sequence and answer must equal SQL's on the same files.

    Every heuristic, reordering and partitioning scheme runs with every number of workers and unit; partitions and
    segments are taken in turn there, and all of them run with the default schemes. So do plans of whole units, the
    default engine's, with every number of workers and unit. Besides, each engine reads the
    stream from the files, and the ordered one replays it for three laps and partitions it by range. With --covering
    there are only as many runs as it takes for every pair of values of any two options to occur.

    More threads than cores are legal. Exit code 1 if anything differs; each wrong run is listed with the command that
    repeats it.

    \b
    Examples:
      streambench verify --data data/sf0.01
      streambench verify q2 q3 --data data/mine --parameters paper --covering
      streambench verify --data data/sf0.1 --schedulers ct --reorders lock,ticket --workers 2,16 --units 256
    """
    grid = Grid(
        engines=engines,
        plans=plans,
        schedulers=schedulers,
        reorders=reorders,
        partitionings=partitionings,
        workers=workers,
        units=units,
        partitions=partitions,
        segments=SEGMENT_CHOICES[segments],
        covering=covering,
    )
    with LiveLine(quiet) as line:
        if data is None:
            data = generated(
                GENERATED_SCALE,
                progress=lambda step, done: line.step(f"generating {step}", round(100 * done), 100, "%"),
            )
        report = verify(
            Catalog.open(data),
            queries or None,
            PARAMETER_SETS if parameters == "all" else (parameters,),
            grid,
            step=lambda doing, done, total: line.step(doing, done, total, "runs"),
        )
    _print(stream_console(stderr=False, quiet=quiet), report)
    wrong = sum(len(each.mismatches) for each in report.verdicts)
    if not report.ok:
        runs = sum(each.runs for each in report.verdicts)
        raise StreambenchError(f"{wrong} of {runs} runs are wrong: each is listed with the command that repeats it.")


def _print(console: Console, report: Report) -> None:
    table = Table(title="verification", title_justify="left")
    for name in ("query", "parameters"):
        table.add_column(name)
    for name in ("tuples", "emitted", "answer rows", "runs", "wrong"):
        table.add_column(name, justify="right")
    table.add_column("verified")
    for each in report.verdicts:
        wrong = len(each.mismatches)
        counts = (each.tuples, each.output_tuples, each.answer_rows, each.runs, wrong)
        mark = "[bold red]no[/bold red]" if wrong else "yes"
        table.add_row(each.query, each.parameter_set, *(f"{count:,}" for count in counts), mark)
    console.print(table)
    for each in report.verdicts:
        if each.note is not None:
            console.print(f"[yellow]note:[/yellow] {each.note}", soft_wrap=True)
        for mismatch in each.mismatches[:SHOWN_MISMATCHES]:
            wrong_run = f"{each.query} {each.parameter_set}: {mismatch.what}: {mismatch.problem}"
            console.print(wrong_run, soft_wrap=True, markup=False)
            console.print(f"  {mismatch.command}", soft_wrap=True, markup=False)
        more = len(each.mismatches) - SHOWN_MISMATCHES
        if more > 0:
            console.print(f"{each.query} {each.parameter_set}: {more} more runs are wrong.")
