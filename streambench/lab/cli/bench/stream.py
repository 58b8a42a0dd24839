"""`streambench bench stream`: how long a row takes end to end in a stream on Spark, ours beside Spark's own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from streambench.lab.cli.duration import parse_duration
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import results_folder
from streambench.lab.host import interrupts
from streambench.lab.record import results
from streambench.lab.record.journaled_document import begin, document, end
from streambench.lab.record.stream_bench_summary import KIND
from streambench.lab.show.console import tell_warnings
from streambench.lab.show.output import STDOUT, as_json, check_places, json_text, write_all
from streambench.lab.show.tables import stream as table
from streambench.lab.streams.terms import StreamTerms

QUERIES = ("q2", "q4")


@click.command()
@click.argument("query", type=click.Choice(QUERIES))
@click.option(
    "--data", type=LocalPath(path_type=Path), metavar="DIR", help="The data directory of what the query looks up."
)
@click.option(
    "--run-time",
    "seconds",
    default="20s",
    show_default=True,
    metavar="TIME",
    callback=parse_duration,
    help="Of each run; there are four or more.",
)
@click.option("--master", default=StreamTerms.master, show_default=True, metavar="URL", help="The Spark master.")
@click.option(
    "--buckets", type=int, default=StreamTerms.buckets, show_default=True, help="Parts of the keys, and tasks, of both."
)
@click.option("--json", "json_path", type=LocalPath(path_type=Path), metavar="FILE|-", help="Also write the rows.")
@results_folder("Where the dated result file goes.")
def command(
    query: str, data: Path | None, seconds: float, master: str, buckets: int, json_path: Path | None, folder: Path
) -> None:
    """Measure how long a row takes end to end, at half of what is sustained: ours, and Spark's session windows.

    Rows are made up. `committed` is from when a row was made until its micro-batch is committed, `ordered` until the
    watermark has passed it, too, so that it is in the operators: they take rows in order.

    \b
    Example:
      streambench bench stream q4 --data data/sf0.05 --run-time 30s
    """
    if json_path is not None and json_path != STDOUT:
        check_places({"--json": json_path})
    results.check_folder(folder)
    messages = Console(stderr=True)
    called = begin()
    tell_warnings(messages, called["warnings"])
    found = _measure(query, data, seconds, master, buckets)
    none = {"ordered": None, "query": query, "core_round_trip_ns": None}
    runs = [{**none, "contender": name, **each} for name, each in found.items()]
    asked = {"query": query, "seconds": seconds, "master": master, "buckets": buckets}
    done = document(KIND, asked, runs, [called, end()])
    tell_warnings(messages, done["warnings"], told=called["warnings"])
    written = results.write(done, folder)
    if json_path == STDOUT:
        click.echo(json_text(done["summary"]), nl=False)
        return
    console = Console(highlight=False, width=120)
    console.print(table(done["summary"]))
    console.print(f"result: {written}", soft_wrap=True, highlight=False, markup=False)
    if json_path is not None:
        write_all({json_path: as_json(done["summary"])})


def _measure(query: str, data: Path | None, seconds: float, master: str, buckets: int) -> dict[str, dict[str, Any]]:
    with interrupts.held():
        from streambench.lab.streams import latency, run
        from streambench.lab.streams.session import session

    with tempfile.TemporaryDirectory(prefix="streambench-stream-") as folder:
        terms = StreamTerms(query, "rate", Path(folder), data=data, buckets=buckets, master=master, trigger=1.0)
        work = run.work_of(terms)
        with session(master, buckets) as opened:
            return latency.measure(opened, terms, work, seconds, Path(folder))
