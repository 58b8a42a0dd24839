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
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.join_terms import counted_in, parse_bands, parse_equal, parse_span, parse_time
from streambench.lab.cli.local_path import parquet_files
from streambench.lab.cli.options import argument, command_of, command_options, option, shared
from streambench.lab.cli.outputs import Outputs
from streambench.lab.cli.runtime_options import count
from streambench.lab.cli.shared_options import json_output, quiet
from streambench.lab.show.console import LiveLine
from streambench.lab.show.first_rows import SHOWN_ROWS, print_rows
from streambench.lab.show.join_output import JoinOutput
from streambench.lab.show.join_summary import content, print_join
from streambench.pyx.gate_source import LateTuplesWarning
from streambench.pyx.join.definition import RULES
from streambench.pyx.join.join_crew import TIERS
from streambench.pyx.tuples.span import has_unit

MOST_SOURCES = 1024


Band = tuple[str, str, int | float | str]


@command_options
class JoinOptions:
    """What is joined, and how."""

    left: tuple[str, ...] = argument("LEFT", type=parquet_files)
    right: tuple[str, ...] = argument("RIGHT", type=parquet_files)
    time: tuple[str, str] = option(
        "The column that orders both sides, integers, dates or timestamps; ts:when where they call it differently.",
        "ts",
        callback=parse_time,
        metavar="NAME",
    )
    bands: tuple[Band, ...] = option(
        "LEFT's column X and RIGHT's A differ by WIDTH at most, of times a span such as 5min, too; may be repeated.",
        spelled="--band",
        multiple=True,
        callback=parse_bands,
        metavar="X:A:WIDTH",
    )
    equal: tuple[tuple[str, str], ...] = option(
        "LEFT's column U equals RIGHT's V; may be repeated.", multiple=True, callback=parse_equal, metavar="U:V"
    )
    window: str = option(
        "Times differ by that much at most: in the unit of the time column, or with ns, us, ms, s, min, h or d "
        "where that is a time. Of --rule count: tuples.",
        required=True,
        callback=parse_span,
        metavar="N|5min",
    )
    rule: str = option(
        "What is in the window: by time, by the three steps of paper 001, or the other side's last N tuples.",
        "exact",
        type=click.Choice(tuple(RULES)),
    )
    tier: str = option(
        "How it is computed: looking at every pair, at codes of them by SIMD, or in an index. The result is the same.",
        "auto",
        type=click.Choice(("auto", *TIERS)),
    )
    threads: int | None = count("Threads.  [default: one per core]", spelled="--workers", most=MOST_THREADS)
    sources: int = count(
        "Deal each side over so many physical streams, which are merged again. The result is the same.",
        1,
        metavar="K",
        most=MOST_SOURCES,
    )
    slack: str = option(
        "By how much a file may be out of order, as --window; what is later is left out and told.",
        "0",
        callback=parse_span,
        metavar="N|5s",
    )
    out: Path | None = option("Write the pairs there (Parquet).", metavar="FILE")
    json_out: Path | None = shared(json_output)
    yes: bool = option(f"Join without a question where over {MANY_PAIRS:,} pairs are expected.")
    quiet: bool = shared(quiet)


@command_of(JoinOptions)
def command(options: JoinOptions) -> None:
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
    if options.rule == "count" and has_unit(options.window):
        raise OptionError(f"--window {options.window}: the rule count counts tuples, so give a number without a unit.")
    outputs = Outputs(options.json_out, {"--out": options.out}, quiet=options.quiet)
    streams = ([ParquetFiles(each) for each in options.left], [ParquetFiles(each) for each in options.right])
    files = [file for side in streams for each in side for file in each.files]
    keep_inputs(outputs.places, files, [*options.left, *options.right], "joined")
    with LiveLine(options.quiet) as line:
        type = _type(streams[0][0], options.time[0])
        window, slack = (counted_in(type, getattr(options, each), f"--{each}") for each in ("window", "slack"))
        sides = _sides(streams, (options.left, options.right), options.time, slack, options.sources, line)
        how = (window, options.bands, options.equal, options.rule, options.tier, options.threads)
        watch = line.watch("joining", sum(len(side.ts) for side in sides))
        allow = None if options.yes else partial(_ask, line, may_ask=not options.quiet)
        matches = find(sides, *how, watch=watch, allow=allow)
        output = JoinOutput(matches, lambda pairs: line.step("writing", pairs, len(matches), "pairs"))
        terms = {"rule": options.rule, "window": window, "slack": slack, "sources": options.sources}

        def summary() -> dict[str, Any]:
            return content(matches, terms, output.digest)

        if options.out is None:
            output.pass_by()
        outputs.write({"--out": output.write}, summary)
    print_join(outputs.console, matches, terms, output.digest)
    if options.out is None:
        print_rows(outputs.console, "pairs", len(matches), matches.table(0, SHOWN_ROWS))
    outputs.tell(summary)


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
