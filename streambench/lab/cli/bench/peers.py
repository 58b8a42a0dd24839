"""`streambench bench peers`: other engines over the same queries and files, with the same checks, beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.errors import StreambenchError
from streambench.host.limits import default_workers
from streambench.lab.cli.bench.bench_progress import BenchProgress
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.data_to_make import check_data_to_make
from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import restart, results_folder
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.generated import generated
from streambench.lab.measure.kept_records import runs_kept
from streambench.lab.measure.sweep.progress import SweepProgress
from streambench.lab.peers.columns import PARAMETERS, QUERIES
from streambench.lab.peers.measure import measure
from streambench.lab.peers.named import NAMES, OURS, chosen, find
from streambench.lab.peers.peer import INSTALL
from streambench.lab.peers.settings import Settings
from streambench.lab.record import results
from streambench.lab.record.journal import Journal, Record, data_state, identity
from streambench.lab.record.journaled_document import begin
from streambench.lab.record.peers_summary import KIND, notes, wrong
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
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


@click.command(name=KIND, cls=PeersCommand)
@click.argument("queries", type=words(), metavar=f"[{','.join(QUERIES)}]", default=QUERIES)
@click.option("--data", type=LocalPath(path_type=Path), metavar="DIR", help="Measure over this data directory.")
@click.option(
    "--scale-factor",
    type=float,
    default=DEFAULT_SCALE,
    show_default=True,
    help="Size of the generated data, where none is named; it is kept in data/ for the next time.",
)
@click.option(
    "--peers", "only", type=words(NAMES), metavar="PEER,..", help="These beside ours.  [default: all that are here]"
)
@click.option("--repeats", type=int, default=Settings.repeats, show_default=True, help="Runs of each, interleaved.")
@click.option(
    "--run-time",
    "min_seconds",
    default=f"{Settings.min_seconds:g}s",
    show_default=True,
    callback=parse_duration,
    metavar="TIME",
    help="About what the fastest of serial, ordered and onetbb runs for; they replay the stream for it.",
)
@click.option("--workers", type=int, metavar="N", help="Threads of each that has several.  [default: all cores]")
@click.option("--json", "json_path", type=LocalPath(path_type=Path), metavar="FILE|-", help="Also write the rows.")
@results_folder("Where the dated result file goes, and until it is finished the journal.")
@click.option("--require-idle", is_flag=True, help="Refuse to measure while others keep the cores busy.")
@restart
def command(
    queries: tuple[str, ...],
    data: Path | None,
    scale_factor: float,
    only: tuple[str, ...] | None,
    repeats: int,
    min_seconds: float,
    workers: int | None,
    json_path: Path | None,
    folder: Path,
    require_idle: bool,
    restart: bool,
) -> None:
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
    results.check_folder(folder)
    if json_path is not None and json_path != STDOUT:
        check_places({"--json": json_path})
    peers, left_out = chosen(only or ())
    workers = default_workers() if workers is None else workers
    queries = tuple(map(str.lower, queries))
    asked: dict[str, Any] = {
        "peers": peers,
        "queries": queries,
        "repeats": repeats,
        "workers": workers,
        "min_seconds": min_seconds,
    }
    Settings(data or Path(), **asked)  # what cannot be asked for is told before anything else is
    check_data_to_make("scale_factor")
    if data is not None:
        _state(data, queries)
    messages = Console(stderr=True)
    console = messages if json_path == STDOUT else Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=160, stderr=json_path == STDOUT)
    call = begin()
    if require_idle and call["busy"]:
        raise StreambenchError(f"{call['busy']}; nothing was measured, since --require-idle was given.")
    call["warnings"] += left_out
    tell_warnings(messages, call["warnings"])
    if data is None:
        with BenchProgress(messages, KIND) as progress:
            data = generated(scale_factor, progress=lambda step, done: progress.report(f"generating {step}", done))
    wanted = Settings(data, **asked)
    versions = {peer.name: peer.version for peer in peers}
    key = identity({**wanted.plain(), "versions": versions}, _state(data, queries), call["machine"])
    with Journal(folder, KIND, key, restart=restart) as journal:
        document = _measured(wanted, journal, call)
        console.print(table(document["summary"]))
        for line in notes(document["summary"]):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        tell_warnings(messages, document["warnings"], told=call["warnings"])
        written = results.write(document, folder)
        journal.remove()
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    if json_path == STDOUT:
        click.echo(json_text(document["summary"]), nl=False)
    elif json_path is not None:
        write_all({json_path: as_json(document["summary"])})
    if bad := wrong(document["summary"]):
        raise StreambenchError(f"wrong results, which have no number: {'; '.join(bad)}.")


def _state(data: Path, queries: tuple[str, ...]) -> list[Any]:
    """Of the tables that are read. Raises DataError for one that is missing."""
    return data_state(Catalog.open(data), queries, PARAMETERS)


def _measured(wanted: Settings, journal: Journal, call: Record) -> dict[str, Any]:
    """The result document, of which some runs may have been measured by earlier calls."""
    total = len(wanted.queries) * len(wanted.peers) * wanted.repeats
    with SweepProgress(total, KIND, "runs") as progress:
        progress.begin(runs_kept(journal.records))
        begun: set[str] = set()

        def report(what: str, done: int, left: float | None) -> None:
            query = what.partition(":")[0]
            if query not in begun:
                begun.add(query)
                progress.say(f"{query}, {len(wanted.peers)} engines")
            progress.report(what, done, left)

        try:
            return measure(wanted, report, journal=journal, call=call)
        except KeyboardInterrupt:
            kept = runs_kept(journal.records)
            progress.say(f"interrupted; {kept} of {total} runs are kept, the same command goes on from there")
            raise SystemExit(130) from None
