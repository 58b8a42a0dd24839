"""`streambench verify`: check every engine's sequence and answer over a grid of options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from streambench.errors import StreambenchError
from streambench.execution.options import (
    ENGINES,
    HEURISTICS,
    PARTITIONINGS,
    REORDERS,
    ROUTINGS,
    Heuristic,
    Partitioning,
    Reorder,
    Routing,
)
from streambench.lab.check.grid import AXES, FUSED, PARTITIONS, PLANS, UNITS, WORKERS, Grid
from streambench.lab.check.verify import PARAMETER_SETS, Verification, verify
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.data_to_make import refuse_given
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
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


def _axis(help: str, values: Sequence[object]) -> Any:
    """Some of ``values``, or of whole numbers other ones than these."""
    kind = words([*map(str, values)]) if isinstance(values[0], str) else numbers(int, 1)
    return option(help, ",".join(map(str, values)), type=kind, metavar="LIST")


@command_options
class VerifyOptions:
    """What is verified: fields as those of ``Grid``, and what it is run over."""

    queries: tuple[str, ...] = argument("[QUERY]...", nargs=-1)
    data: Path | None = option(
        "Of queries: the data directory. Of own pipelines: a Parquet file, or a folder of them, for the function.  "
        f"[default, of queries: scale factor {GENERATED_SCALE}, generated into data/ if it is not there]",
        metavar="DIR|FILE",
    )
    parameters: str = option(
        "The queries' constants: those of the paper, of the TPCx-BB kit, or both one after the other.",
        "all",
        type=click.Choice((*PARAMETER_SETS, "all")),
    )
    oracle: Path | None = shared(oracle_option)
    engines: tuple[str, ...] = _axis("The engines.", ENGINES)
    plans: tuple[str, ...] = _axis("The plans of the engine ordered.", PLANS)
    heuristics: tuple[Heuristic, ...] = _axis("The heuristics.", HEURISTICS)
    reorders: tuple[Reorder, ...] = _axis("The reordering schemes.", REORDERS)
    partitionings: tuple[Partitioning, ...] = _axis("The partitioning schemes.", PARTITIONINGS)
    routings: tuple[Routing, ...] = _axis("When outputs are hashed for the next keyed operator.", ROUTINGS)
    workers: tuple[int, ...] = _axis("Threads.", WORKERS)
    units: tuple[int, ...] = _axis("Tuples per work unit.", UNITS)
    partitions: tuple[int, ...] = _axis("Parts that the keys of a keyed operator go into.", PARTITIONS)
    fuse: str = option(
        "Stateless operators fused to the one before, or each by itself.",
        "both",
        type=click.Choice(tuple(FUSE_CHOICES)),
    )
    approximate: float | None = option(
        "Of q1 and q2, the default then: the variants that count in bounded memory, as those of `run`.",
        metavar="EPSILON",
    )
    covering: bool = option("A few runs only, in which every pair of values occurs.")
    quiet: bool = option("No progress and no table; errors only.")


@command_of(VerifyOptions)
def command(options: VerifyOptions) -> None:
    """Run each QUERY (default: all) with many combinations of the options, and compare.

    QUERY may be module:function, too, which returns a new Pipeline in every call: its runs have one lap and read no
    files; what --data names is given to the function as a pyarrow Table. SQL's part is that of --oracle.

    The reference is the serial engine, one tuple at a time. Each run's output sequence, and the ordered output of
    each operator in it, must equal the reference's; sequence and answer must equal SQL's on the same files.

    Every heuristic, reordering and partitioning scheme runs with every number of workers and unit; partitions, with
    operators fused and not and both routings, are taken in turn there, and all partitions, fused and not, run with the
    default schemes. So do the plans
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
    axes = {name: getattr(options, name) for name in AXES}
    grid = Grid(**{**axes, "fuse": FUSE_CHOICES[options.fuse]}, covering=options.covering)
    if "schemes" not in options.engines:
        unused = "heuristics", "reorders", "partitionings", "routings", "fuse"
        refuse_given("is of the engine schemes, which is not checked", *unused)
    if "ordered" not in options.engines:
        refuse_given("is of the engine ordered, which is not checked", "plans")
    if set(options.engines) == {"serial"}:
        refuse_given("is of several threads, and the engine serial has one", "workers", "partitions")
    named_workloads(options.queries)  # an unknown one is told before data are made or opened
    over_data = not options.queries or not all(map(is_own, options.queries))
    own = own_workloads(options.queries, options.oracle, OF_QUERIES, None if over_data else options.data)
    data = options.data
    with LiveLine(options.quiet) as line:
        if data is None and over_data:
            data = generated(
                GENERATED_SCALE,
                progress=lambda step, done: line.step(f"generating {step}", round(100 * done), 100, "%"),
            )
        report = verify(
            Catalog.open(data) if data is not None and over_data else None,
            options.queries or None,
            PARAMETER_SETS if options.parameters == "all" else (options.parameters,),
            grid,
            step=lambda doing, done, total: line.step(doing, done, total, "runs"),
            own=own,
            approximate=options.approximate,
        )
    _print(stream_console(stderr=False, quiet=options.quiet), report)
    wrong = sum(len(each.mismatches) for each in report.verdicts)
    if not report.ok:
        runs = sum(each.runs for each in report.verdicts)
        raise StreambenchError(f"{wrong} of {runs} runs are wrong: each is listed with the command that repeats it.")


def _print(console: Console, report: Verification) -> None:
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
