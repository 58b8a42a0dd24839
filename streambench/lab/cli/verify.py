"""`streambench verify`: check every engine's sequence and answer over a grid of options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import StreambenchError
from streambench.execution.options import ENGINES, HEURISTICS, PARTITIONINGS, REORDERS, Heuristic, Partitioning, Reorder
from streambench.lab.check.grid import FUSED, PARTITIONS, PLANS, UNITS, WORKERS, Grid
from streambench.lab.check.verify import PARAMETER_SETS, Report, verify
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.flags import Flag, Flags, flag
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.own_pipelines import own_workloads
from streambench.lab.cli.shared_options import oracle as oracle_option
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.measure.named import named_workloads
from streambench.lab.show.console import LiveLine
from streambench.lab.show.run_summary import stream_console
from streambench.lab.workloads.pipeline_function import is_own

GENERATED_SCALE = 0.01
SHOWN_MISMATCHES = 10  # of each query and parameter set
OF_QUERIES = ("parameters", "approximate")
FUSE_CHOICES = {"both": FUSED, "on": (True,), "off": (False,)}


def _listed(values: Sequence[object]) -> str:
    return ",".join(map(str, values))


def _axis(spelling: str, values: Sequence[object], told: str) -> Flag:
    """Some of ``values``, or of whole numbers other ones than these."""
    kind = words([*map(str, values)]) if isinstance(values[0], str) else numbers(int, 1)
    return flag(spelling, default=_listed(values), show_default=True, type=kind, metavar="LIST", help=told)


_axes = Flags(
    _axis("--engines", values=ENGINES, told="The engines."),
    _axis("--plans", values=PLANS, told="The plans of the engine ordered."),
    _axis("--heuristics", values=HEURISTICS, told="The heuristics."),
    _axis("--reorders", values=REORDERS, told="The reordering schemes."),
    _axis("--partitionings", values=PARTITIONINGS, told="The partitioning schemes."),
    _axis("--workers", values=WORKERS, told="Threads."),
    _axis("--units", values=UNITS, told="Tuples per work unit."),
    _axis("--partitions", values=PARTITIONS, told="Parts that the keys of a keyed operator go into."),
)


@click.command()
@click.argument("queries", nargs=-1, metavar="[QUERY]...")
@click.option(
    "--data",
    type=LocalPath(path_type=Path),
    metavar="DIR|FILE",
    help="Of queries: the data directory. Of own pipelines: a Parquet file, or a folder of them, for the function.  "
    f"[default, of queries: scale factor {GENERATED_SCALE}, generated into data/ if it is not there]",
)
@click.option(
    "--parameters",
    type=click.Choice((*PARAMETER_SETS, "all")),
    default="all",
    show_default=True,
    help="The queries' constants: those of the paper, of the TPCx-BB kit, or both one after the other.",
)
@oracle_option
@_axes
@click.option(
    "--fuse",
    type=click.Choice(tuple(FUSE_CHOICES)),
    default="both",
    show_default=True,
    help="Stateless operators fused to the one before, or each by itself.",
)
@click.option(
    "--approximate",
    type=float,
    metavar="EPSILON",
    help="Of q1 and q2, the default then: the variants that count in bounded memory, as those of `run`.",
)
@click.option("--covering", is_flag=True, help="A few runs only, in which every pair of values occurs.")
@click.option("--quiet", is_flag=True, help="No progress and no table; errors only.")
def command(
    queries: tuple[str, ...],
    data: Path | None,
    parameters: str,
    oracle: Path | None,
    engines: tuple[str, ...],
    plans: tuple[str, ...],
    heuristics: tuple[Heuristic, ...],
    reorders: tuple[Reorder, ...],
    partitionings: tuple[Partitioning, ...],
    workers: tuple[int, ...],
    units: tuple[int, ...],
    partitions: tuple[int, ...],
    fuse: str,
    approximate: float | None,
    covering: bool,
    quiet: bool,
) -> None:
    """Run each QUERY (default: all) with many combinations of the options, and compare.

    QUERY may be module:function, too, which returns a new Pipeline in every call: its runs have one lap and read no
    files; what --data names is given to the function as a pyarrow Table. SQL's part is that of --oracle.

    The reference is the serial engine, one tuple at a time. Each run's output sequence, and the ordered output of
    each operator in it, must equal the reference's; sequence and answer must equal SQL's on the same files.

    Every heuristic, reordering and partitioning scheme runs with every number of workers and unit; partitions,
    with operators fused and not, are taken in turn there, and all of them run with the default schemes. So do the plans
    of the engine ordered, with every number of workers and unit. Besides, each engine reads the stream from the files,
    and all but serial replay it for three laps and partition it by range. With --covering
    there are only as many runs as it takes for every pair of values of any two options to occur.

    More threads than cores are legal. Exit code 1 if anything differs; each wrong run is listed with the command that
    repeats it.

    \b
    Examples:
      streambench verify --data data/sf0.01
      streambench verify q2 q3 --data data/mine --parameters paper --covering
      streambench verify --data data/sf0.1 --heuristics ct --reorders lock,ticket --workers 2,16 --units 256
      streambench verify readings:build --oracle records.sql --covering
    """
    grid = Grid(
        engines=engines,
        plans=plans,
        heuristics=heuristics,
        reorders=reorders,
        partitionings=partitionings,
        workers=workers,
        units=units,
        partitions=partitions,
        fuse=FUSE_CHOICES[fuse],
        covering=covering,
    )
    if "schemes" not in engines:
        unused = "heuristics", "reorders", "partitionings", "fuse"
        refuse_given("is of the engine schemes, which is not checked", *unused)
    if "ordered" not in engines:
        refuse_given("is of the engine ordered, which is not checked", "plans")
    if set(engines) == {"serial"}:
        refuse_given("is of several threads, and the engine serial has one", "workers", "partitions")
    named_workloads(queries)  # an unknown one is told before data are made or opened
    over_data = not queries or not all(map(is_own, queries))
    own = own_workloads(queries, oracle, OF_QUERIES, None if over_data else data)
    with LiveLine(quiet) as line:
        if data is None and over_data:
            data = generated(
                GENERATED_SCALE,
                progress=lambda step, done: line.step(f"generating {step}", round(100 * done), 100, "%"),
            )
        report = verify(
            Catalog.open(data) if data is not None and over_data else None,
            queries or None,
            PARAMETER_SETS if parameters == "all" else (parameters,),
            grid,
            step=lambda doing, done, total: line.step(doing, done, total, "runs"),
            own=own,
            approximate=approximate,
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
        table.add_row(each.query, each.parameter_set or "-", *(f"{count:,}" for count in counts), mark)
    console.print(table)
    for each in report.verdicts:
        if each.note is not None:
            console.print(f"[yellow]note:[/yellow] {each.note}", soft_wrap=True)
        for mismatch in each.mismatches[:SHOWN_MISMATCHES]:
            wrong_run = f"{each.name}: {mismatch.what}: {mismatch.problem}"
            console.print(wrong_run, soft_wrap=True, markup=False)
            console.print(f"  {mismatch.command}", soft_wrap=True, markup=False)
        more = len(each.mismatches) - SHOWN_MISMATCHES
        if more > 0:
            console.print(f"{each.name}: {more} more runs are wrong.")
