"""`streambench run`: one query, once, by one engine, with its answer checked."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import click

from streambench.catalog import Catalog
from streambench.console import LiveLine
from streambench.errors import OptionError, StreambenchError
from streambench.names import has_names, with_names
from streambench.options import ENGINES, PARTITIONERS, SCHEDULERS, Options
from streambench.output import Writer, as_json, check_places, json_text, parquet, write_all
from streambench.result import RunResult
from streambench.run_summary import print_answer, print_summary, stream_console
from streambench.runner import run_workload
from streambench.workload import Workload

DEFAULT = Options()
SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
SERIAL_IGNORES = ("workers", "partitions", "partition_by", "scheduler", "time_slice", "window", "credit", "segments")


def at_least_one(ctx: click.Context, option: click.Parameter, value: int | None) -> int | None:
    """Refuse 0 and less in one sentence."""
    if value is not None and value < 1:
        raise OptionError(f"{option.opts[0]} must be at least 1, not {value}.")
    return value


def parse_rate(ctx: click.Context, option: click.Parameter, value: str) -> float:
    """Tuples per second from ``max`` (0: as fast as possible), ``1e6``, ``250k`` or ``2M``."""
    if value == "max":
        return 0.0
    match = re.fullmatch(r"([0-9.]+(?:e[+-]?[0-9]+)?)([kmg]?)", value.strip().lower())
    try:
        rate = float(match[1]) * SUFFIXES[match[2]] if match else math.nan
    except ValueError:
        rate = math.nan
    if not (math.isfinite(rate) and rate > 0):
        raise OptionError(f"--rate must be max, or tuples per second above 0 such as 1e6, 250k or 2M, not {value!r}.")
    return rate


@click.command(short_help="Run one query over a data directory, and check its answer.")
@click.argument("query")
@click.option("--data", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data directory.")
@click.option("--engine", type=click.Choice(ENGINES), default=DEFAULT.engine, show_default=True, help="What runs it.")
@click.option("--workers", type=int, callback=at_least_one, metavar="N", help="Threads.  [default: one per core]")
@click.option(
    "--unit", type=int, default=DEFAULT.unit, show_default=True, callback=at_least_one, help="Tuples per work unit."
)
@click.option(
    "--partitions",
    type=int,
    callback=at_least_one,
    metavar="N",
    help="Of each partitioned operator.  [default: 8 per worker, 1 for one worker]",
)
@click.option(
    "--partition-by",
    type=click.Choice(PARTITIONERS),
    default=DEFAULT.partition_by,
    show_default=True,
    help="How keys get to partitions: by a hash, or by equal ranges of keys.",
)
@click.option(
    "--scheduler", type=click.Choice(SCHEDULERS), default=DEFAULT.scheduler, show_default=True, help="The heuristic."
)
@click.option(
    "--rate",
    default="max",
    show_default=True,
    callback=parse_rate,
    metavar="max|N",
    help="Tuples per second that arrive: 1e6, 250k, 2M, or max.",
)
@click.option(
    "--laps",
    type=int,
    default=1,
    show_default=True,
    callback=at_least_one,
    help="Replay the stream that often, as one longer stream.",
)
@click.option(
    "--preload/--no-preload",
    default=None,
    help="Hold the stream in memory, so that reading is not measured.  [default: only for --laps and --sort]",
)
@click.option(
    "--parameters",
    type=click.Choice(("paper", "kit")),
    default="paper",
    show_default=True,
    help="The query's constants: those of the paper, or of the TPCx-BB kit.",
)
@click.option(
    "--time-slice", type=float, default=DEFAULT.time_slice, show_default=True, help="Of the scheduler, in seconds."
)
@click.option("--window", type=float, default=DEFAULT.window, show_default=True, help="Of the scheduler, in seconds.")
@click.option(
    "--credit",
    type=int,
    callback=at_least_one,
    metavar="N",
    help="Units in flight, a power of two.  [default: by unit and workers]",
)
@click.option(
    "--segments/--no-segments",
    default=True,
    show_default=True,
    help="Fuse stateless operators to the one before, or run each by itself, as the paper does.",
)
@click.option("--pin/--no-pin", default=True, show_default=True, help="Bind each worker to a core.")
@click.option("--sort", is_flag=True, help="Put a stream that is not in replay order into it first, in memory.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the answer there (Parquet).")
@click.option(
    "--emitted", type=click.Path(path_type=Path), metavar="FILE", help="Write the sink's output sequence (Parquet)."
)
@click.option(
    "--json", "json_out", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE|-", help="Write the result."
)
@click.option("--check/--no-check", default=True, show_default=True, help="Check sequence and answer after the run.")
@click.option("--names", is_flag=True, help="Write your own names into --out, where the data has dictionaries.")
@click.option("--quiet", is_flag=True, help="No progress and no summary; errors only.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Run QUERY (q1, q2, q3, q4 or q15) over the data directory DIR and print what it took and its answer.

    The run is checked: its output sequence against the serial engine's, its answer against SQL. A run that is wrong
    has no number, writes no file, and exits with 1. Files are written when all has succeeded, and replace old ones.

    With --laps the answer and the sequence are those of the longer stream; SQL then checks the answer of one lap.

    \b
    Examples:
      streambench run q1 --data data/sf0.01 --workers 2
      streambench run q2 --data data/sf0.1 --engine serial --out answer.parquet
      streambench run q3 --data data/sf0.1 --laps 20 --unit 256 --partitions 64 --json run.json
      streambench run q4 --data data/sf0.1 --rate 250k --no-check
      streambench run q1 --data data/bakery --names --out pairs.parquet
      streambench run q1 --data data/sf0.01 --quiet --json - | jq .throughput
    """
    # Options of the serial engine are not refused, so that one command line serves both; what has no effect is said.
    notes = _notes(ctx, given)
    options = _options(given)
    data = Catalog.open(given["data"])
    to_stdout = given["json_out"] == Path("-")
    places = {f"--{name}": given[name] for name in ("out", "emitted") if given[name] is not None}
    if given["json_out"] is not None and not to_stdout:
        places["--json"] = given["json_out"]
    check_places(places, data)
    console = stream_console(stderr=to_stdout, quiet=given["quiet"])
    for note in notes:
        console.print(f"[yellow]note:[/yellow] {note}")
    workload, result = _run(given, data, options)
    print_summary(console, result, workload.query.title)
    if result.sequence_ok is False or result.answer_ok is False:
        kept_back = " No file was written." if places else ""
        raise StreambenchError(f"The run is wrong: {result.problem}{kept_back}")
    if given["names"] and not has_names(workload.query, data):
        console.print("[yellow]note:[/yellow] the data has no dictionaries for this answer: --names changes nothing.")
    write_all(_writers(given, workload, result, to_stdout))
    print_answer(console, result, workload.query, data)
    for path in places.values():
        console.print(f"written: {path}", soft_wrap=True, markup=False)
    if to_stdout:
        click.echo(json_text(result.to_json()), nl=False)


def _run(given: dict[str, Any], data: Catalog, options: Options) -> tuple[Workload, RunResult]:
    with LiveLine(given["quiet"]) as line:
        workload = Workload(
            given["query"], data, given["parameters"], preload=options.preload, sort=options.sort, progress=line.step
        )
        then = "checking against the serial engine and SQL" if given["check"] else None
        result = run_workload(
            workload,
            options,
            check=given["check"],
            # An answer taken from the sequence of many laps is long: it is kept in memory only where it is asked for.
            keep_answer=workload.query.answer_from_state or options.laps == 1 or given["out"] is not None,
            keep_emitted=given["emitted"] is not None,
            watch=line.watch(f"{workload.query.name} ({options.engine})", workload.rows * options.laps, then),
        )
    return workload, result


def _options(given: dict[str, Any]) -> Options:
    names = ("engine", "unit", "partition_by", "scheduler", "rate", "laps", "time_slice", "window", "segments", "pin")
    chosen = {name: given[name] for name in names}
    chosen |= {name: given[name] for name in ("workers", "partitions", "credit") if given[name] is not None}
    preload = given["preload"]
    return Options(preload=_needs_preload(given) if preload is None else preload, sort=given["sort"], **chosen)


def _needs_preload(given: dict[str, Any]) -> bool:
    return given["laps"] > 1 or bool(given["sort"])


def _notes(ctx: click.Context, given: dict[str, Any]) -> list[str]:
    notes = []
    if given["preload"] is None and _needs_preload(given):
        why = "--laps" if given["laps"] > 1 else "--sort"
        notes.append(f"{why} needs the stream in memory, so it is preloaded.")
    if given["engine"] == "serial":
        typed = click.core.ParameterSource.COMMANDLINE
        useless = [name for name in SERIAL_IGNORES if ctx.get_parameter_source(name) == typed]
        if useless:
            flags = ", ".join(f"--{name.replace('_', '-')}" for name in useless)
            notes.append(f"the serial engine is one thread without queues: {flags} changes nothing.")
    return notes


def _writers(given: dict[str, Any], workload: Workload, result: RunResult, to_stdout: bool) -> dict[Path, Writer]:
    writers: dict[Path, Writer] = {}
    if given["out"] is not None:
        named = with_names(result.answer, workload.query, workload.data) if given["names"] else result.answer
        writers[given["out"]] = parquet(named)
    if given["emitted"] is not None:
        writers[given["emitted"]] = parquet(result.emitted)
    if given["json_out"] is not None and not to_stdout:
        writers[given["json_out"]] = as_json(result.to_json())
    return writers
