"""`streambench bench peers`: other engines over the same queries and files, with the same checks, beside ours."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Group
from rich.text import Text

from streambench.host.limits import default_workers
from streambench.lab.cli.bench.bench_frame import (
    WITHOUT_FIGURES,
    BenchFrame,
    FrameOptions,
    Rows,
    bench_of,
    frame_options,
)
from streambench.lab.cli.bench.bench_options import data_directory, scale_factor, seconds
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.options import argument, command_of, command_options, option
from streambench.lab.peers.bench import PeersBench
from streambench.lab.peers.columns import PARAMETERS, QUERIES
from streambench.lab.peers.named import NAMES, OURS, chosen, find
from streambench.lab.peers.peer import INSTALL
from streambench.lab.record.peers_summary import KIND, notes, wrong
from streambench.lab.show.tables import peers as table

DEFAULT_SCALE = 0.25


class PeersCommand(click.Command):
    """Its help says which peers there are, and which of them are here."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(f"Peers, beside our {' and '.join(OURS)} ({INSTALL})"):
            formatter.write_dl([(name, _here(name)) for name in NAMES])


def _here(name: str) -> str:
    peer = find(name)
    lacking = peer.missing()
    kind = "stream" if peer.streams else "batch"
    return f"{kind}; {peer.package} {peer.version} is here" if lacking is None else f"{kind}; not here: {lacking}"


@command_options
class PeersBenchOptions:
    """What is measured, over which data; ``only``: these peers."""

    queries: tuple[str, ...] = argument(
        f"[{','.join(QUERIES)}]",
        type=words(),
        default=QUERIES,
        callback=lambda ctx, param, value: tuple(map(str.lower, value)),
    )
    data: Path | None = data_directory("Measure over this data directory.")
    scale_factor: float = scale_factor(DEFAULT_SCALE)
    only: tuple[str, ...] | None = option(
        "These beside ours.  [default: all that are here]", spelled="--peers", type=words(NAMES), metavar="PEER,.."
    )
    repeats: int = option("Runs of each, interleaved.", PeersBench.repeats)
    min_seconds: float = seconds(
        "About what the fastest of serial, ordered and onetbb runs for; they replay the stream for it.",
        f"{PeersBench.min_seconds:g}s",
        "--run-time",
    )
    workers: int | None = option("Threads of each that has several.  [default: all cores]", metavar="N")
    frame: FrameOptions = frame_options("json_path", "require_idle", "restart", folder=WITHOUT_FIGURES)


@command_of(PeersBenchOptions, PeersCommand, name=KIND)
def command(options: PeersBenchOptions) -> None:
    """Measure other engines over the same queries, with the same checks, interleaved with ours.

    Each runs in a process of its own: its start, its first run and its memory are told apart from its speed. Whoever
    answers wrongly has no number. A peer that is not installed is left out, and what to install is said. A call that
    was interrupted goes on where it stopped when it is given again.

    \b
    Examples:
      streambench bench peers
      streambench bench peers q1,q4 --data data/sf1 --peers duckdb,polars
      streambench bench peers --scale-factor 0.05 --peers onetbb,duckdb,polars
      streambench bench peers q15 --peers spark-sql,spark-streaming --repeats 3 --json -
    """
    peers, left_out = chosen(options.only or ())
    bench = bench_of(PeersBench, options, {"peers": peers, "workers": default_workers()})
    source = BenchSource.of(bench.queries, options.data, PARAMETERS, {"scale_factor": options.scale_factor})
    PeersFrame(options.frame, _shown, wrong, warnings=left_out).run(bench, source)


class PeersFrame(BenchFrame):
    """Its table is a wide one."""

    width = 160


def _shown(rows: Rows) -> Group:
    return Group(table(rows), *map(Text, notes(rows)))
