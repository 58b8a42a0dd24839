"""`streambench peers`: other engines over the same queries and files, with the same checks, beside ours."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from streambench.cli.bench_progress import BenchProgress
from streambench.cli.comma_list import words
from streambench.cli.shared_options import results_folder
from streambench.data.generated import generated
from streambench.errors import StreambenchError
from streambench.host.limits import default_workers
from streambench.peers.measure import QUERIES, Settings, measure
from streambench.peers.named import NAMES, chosen
from streambench.record import results
from streambench.record.journaled_document import begin
from streambench.record.peers_summary import KIND, notes, table, wrong
from streambench.show.console import tell_warnings
from streambench.show.output import STDOUT, as_json, check_places, json_text, write_all

SCALE = 0.1  # of data that is made where none is named


@click.command(name=KIND, short_help="Measure other engines side by side with ours.")
@click.argument("queries", type=words(QUERIES), metavar=f"[{','.join(QUERIES)}]", default=QUERIES)
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help=f"Left out, scale factor {SCALE} is made.")
@click.option("--only", type=words(NAMES), metavar="PEER,..", help=f"Beside ours: {','.join(NAMES)}.  [default: all]")
@click.option("--repeats", type=int, default=Settings.repeats, show_default=True, help="Runs of each, interleaved.")
@click.option("--workers", type=int, metavar="N", help="Threads of each that has several.  [default: all cores]")
@click.option("--json", "json_path", type=click.Path(path_type=Path), metavar="FILE|-", help="Also write the rows.")
@results_folder("Where the dated result file goes.")
def command(
    queries: tuple[str, ...],
    data: Path | None,
    only: tuple[str, ...] | None,
    repeats: int,
    workers: int | None,
    json_path: Path | None,
    folder: Path,
) -> None:
    """Measure other engines over the same queries, with the same checks, interleaved with ours.

    Each runs in a process of its own: its start, its first run and its memory are told apart from its speed. Whoever
    answers wrongly has no number. A peer that is not installed is left out, and what to install is said
    (pip install 'streambench[peers]').

    \b
    Examples:
      streambench peers
      streambench peers q1,q4 --data data/sf1 --only duckdb,polars
      streambench peers q15 --only spark-sql,spark-streaming --repeats 3 --json -
    """
    results.check_folder(folder)
    if json_path is not None and json_path != STDOUT:
        check_places({"--json": json_path})
    peers, left_out = chosen(only or ())
    workers = default_workers() if workers is None else workers
    Settings(data or Path(), queries, repeats, workers)  # what cannot be asked for is told before data is made
    messages = Console(stderr=True)
    console = messages if json_path == STDOUT else Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=150, stderr=json_path == STDOUT)
    call = begin()
    call["warnings"] += left_out
    tell_warnings(messages, call["warnings"])
    with BenchProgress(messages, KIND) as progress:
        if data is None:
            data = generated(SCALE, progress=lambda step, done: progress.report(f"generating {step}", done))
        document = measure(Settings(data, queries, repeats, workers), peers, progress.report, call=call)
    console.print(table(document["summary"]))
    for line in notes(document["summary"]):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    tell_warnings(messages, document["warnings"], told=call["warnings"])
    written = results.write(document, folder)
    console.print(f"result: {written}", soft_wrap=True, highlight=False)
    if json_path == STDOUT:
        click.echo(json_text(document["summary"]), nl=False)
    elif json_path is not None:
        write_all({json_path: as_json(document["summary"])})
    if bad := wrong(document["summary"]):
        raise StreambenchError(f"wrong results, which have no number: {'; '.join(bad)}.")
