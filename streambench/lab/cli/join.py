"""`streambench join`: two ordered streams in Parquet files joined within a window."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from streambench.data.parquet_files import ParquetFiles
from streambench.errors import OptionError
from streambench.joins.join import sides_of
from streambench.joins.matches import MOST_THREADS, find
from streambench.joins.pair_estimate import MANY_PAIRS, about
from streambench.joins.side import Side
from streambench.lab.atomic_file import Writer
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.join_terms import parse_bands, parse_equal, parse_time
from streambench.lab.cli.local_path import LocalPath, parquet_files
from streambench.lab.cli.runtime_options import at_least_one
from streambench.lab.cli.span import counted_in, parse_span
from streambench.lab.show.console import LiveLine
from streambench.lab.show.first_rows import SHOWN_ROWS, print_rows
from streambench.lab.show.join_output import JoinOutput
from streambench.lab.show.join_summary import content, print_join
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.show.run_summary import stream_console
from streambench.pyx.gate_source import LateTuplesWarning
from streambench.pyx.join.definition import RULES
from streambench.pyx.join.join_crew import TIERS
from streambench.pyx.tuples.span import has_unit

MOST_SOURCES = 1024


@click.command()
@click.argument("left", type=parquet_files, metavar="LEFT")
@click.argument("right", type=parquet_files, metavar="RIGHT")
@click.option(
    "--time",
    default="ts",
    show_default=True,
    callback=parse_time,
    metavar="NAME",
    help="The column that orders both sides, integers, dates or timestamps; ts:when where they call it differently.",
)
@click.option(
    "--band",
    "bands",
    multiple=True,
    callback=parse_bands,
    metavar="X:A:WIDTH",
    help="LEFT's column X and RIGHT's A differ by WIDTH at most, of times a span such as 5min, too; may be repeated.",
)
@click.option(
    "--equal",
    multiple=True,
    callback=parse_equal,
    metavar="U:V",
    help="LEFT's column U equals RIGHT's V; may be repeated.",
)
@click.option(
    "--window",
    required=True,
    callback=parse_span,
    metavar="N|5min",
    help="Times differ by that much at most: in the unit of the time column, or with ns, us, ms, s, min, h or d "
    "where that is a time. Of --rule count: tuples.",
)
@click.option(
    "--rule",
    type=click.Choice(tuple(RULES)),
    default="exact",
    show_default=True,
    help="What is in the window: by time, by the three steps of paper 001, or the other side's last N tuples.",
)
@click.option(
    "--tier",
    type=click.Choice(("auto", *TIERS)),
    default="auto",
    show_default=True,
    help="How it is computed: looking at every pair, at codes of them by SIMD, or in an index. The result is the same.",
)
@click.option(
    "--workers", "threads", type=int, callback=at_least_one, metavar="N", help="Threads.  [default: one per core]"
)
@click.option(
    "--sources",
    type=int,
    default=1,
    show_default=True,
    callback=at_least_one,
    metavar="K",
    help="Deal each side over so many physical streams, which are merged again. The result is the same.",
)
@click.option(
    "--slack",
    default="0",
    show_default=True,
    callback=parse_span,
    metavar="N|5s",
    help="By how much a file may be out of order, as --window; what is later is left out and told.",
)
@click.option("--out", type=LocalPath(path_type=Path), metavar="FILE", help="Write the pairs there (Parquet).")
@click.option(
    "--json",
    "json_out",
    type=LocalPath(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    help="Write the result (JSON).",
)
@click.option("--yes", is_flag=True, help=f"Join without a question where over {MANY_PAIRS:,} pairs are expected.")
@click.option("--quiet", is_flag=True, help="No progress and no summary; errors only.")
def command(left: tuple[str, ...], right: tuple[str, ...], **given: Any) -> None:
    """Join LEFT and RIGHT: all pairs of their rows that meet every --band and --equal and are in one window.

    A side is a Parquet file, or a folder of them, ordered by its time. Several with commas between them are several
    physical streams, each ordered by itself; a ScaleGate merges them by time, then by their place in the list, then by
    row. At equal times LEFT comes before RIGHT.

    The output has the time of a pair's later row, then LEFT's other columns, then RIGHT's, with _right after names that
    are taken, in the order of the later rows, then of the earlier ones. It is the same to the byte whatever tier,
    threads and sources. Without --out its first rows are printed. Files are written when all has succeeded, and replace
    old ones.

    Where very many pairs are expected, by a sample of the rows, you are asked first, or told to say --yes.

    \b
    Examples:
      streambench join r.parquet s.parquet --band x:a:10 --band y:b:10 --window 300 --out pairs.parquet
      streambench join views.parquet sales.parquet --equal user:user --window 30min --out pairs.parquet
      streambench join east.parquet,west.parquet sales.parquet --equal user:user --window 300 --slack 5s
      streambench join r.parquet s.parquet --band x:a:10 --window 1000 --rule count --tier scan --workers 1
      streambench join r.parquet s.parquet --time ts:when --equal u:v --window 60 --quiet --json - | jq .pairs
    """
    if given["threads"] is not None and given["threads"] > MOST_THREADS:
        raise OptionError(f"--workers must be at most {MOST_THREADS}, not {given['threads']}.")
    if given["sources"] > MOST_SOURCES:
        raise OptionError(f"--sources must be at most {MOST_SOURCES}, not {given['sources']}.")
    if given["rule"] == "count" and has_unit(given["window"]):
        raise OptionError(f"--window {given['window']}: the rule count counts tuples, so give a number without a unit.")
    to_stdout = given["json_out"] == STDOUT
    places = {} if given["out"] is None else {"--out": given["out"]}
    if given["json_out"] is not None and not to_stdout:
        places["--json"] = given["json_out"]
    check_places(places)
    streams = ([ParquetFiles(each) for each in left], [ParquetFiles(each) for each in right])
    keep_inputs(places, [file for side in streams for each in side for file in each.files], [*left, *right], "joined")
    console = stream_console(stderr=to_stdout, quiet=given["quiet"])
    with LiveLine(given["quiet"]) as line:
        type = _type(streams[0][0], given["time"][0])
        window, slack = (counted_in(type, given[each], f"--{each}") for each in ("window", "slack"))
        sides = _sides(streams, (left, right), given["time"], slack, given["sources"], line)
        how = (window, given["bands"], given["equal"], given["rule"], given["tier"], given["threads"])
        watch = line.watch("joining", sum(len(side.ts) for side in sides))
        allow = None if given["yes"] else partial(_ask, line, may_ask=not given["quiet"])
        matches = find(sides, *how, watch=watch, allow=allow)
        output = JoinOutput(matches, lambda pairs: line.step("writing", pairs, len(matches), "pairs"))
        told = {"rule": given["rule"], "window": window, "slack": slack, "sources": given["sources"]}
        writers: dict[Path, Writer] = {}
        if given["out"] is not None:
            writers[given["out"]] = output.write
        else:
            output.pass_by()
        if "--json" in places:
            writers[places["--json"]] = lambda file: as_json(content(matches, told, output.digest))(file)
        write_all(writers)
    print_join(console, matches, told, output.digest)
    if given["out"] is None:
        print_rows(console, "pairs", len(matches), matches.table(0, SHOWN_ROWS))
    for path in places.values():
        console.print(f"written: {path}", soft_wrap=True, markup=False)
    if to_stdout:
        click.echo(json_text(content(matches, told, output.digest)), nl=False)


def _ask(line: LiveLine, pairs: int, may_ask: bool) -> None:
    """Raise OptionError where so many pairs are not wanted, or nobody is there to say so."""
    remedy = "add a --band or an --equal, or choose a shorter --window"
    if not (may_ask and _on_a_terminal()):
        raise OptionError(f"{about(pairs)} pairs are expected: say --yes if you want them all, or {remedy}.")
    line.give_way()
    if not click.confirm(f"{about(pairs).capitalize()} pairs are expected. Join all the same?", err=True):
        raise OptionError(f"nothing was joined: {remedy}.")


def _on_a_terminal() -> bool:
    return all(each is not None and each.isatty() for each in (sys.stdin, sys.stderr))  # None: it is closed


def _type(stream: ParquetFiles, name: str) -> pa.DataType | None:
    return stream.schema.field(name).type if stream.schema.names.count(name) == 1 else None


def _sides(
    streams: tuple[list[ParquetFiles], list[ParquetFiles]],
    names: tuple[tuple[str, ...], tuple[str, ...]],
    time: tuple[str, str],
    slack: int,
    sources: int,
    line: LiveLine,
) -> tuple[Side, Side]:
    left, right = (
        [_read(*each, line) for each in zip(side, called, strict=True)]
        for side, called in zip(streams, names, strict=True)
    )
    line.wait("merging")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LateTuplesWarning)  # the summary tells them, by file
        return sides_of(left, right, time, slack, sources, names)


def _read(stream: ParquetFiles, name: str, line: LiveLine) -> pa.Table:
    return stream.table(lambda rows: line.step(f"reading {name}", rows, stream.rows))
