"""`streambench report`: results as one page to look at."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from streambench.lab.cli.bench.bench_progress import BenchProgress
from streambench.lab.cli.inputs import keep_inputs
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.record.result_files import result_files
from streambench.lab.record.results import whole
from streambench.lab.report.named_document import read
from streambench.lab.report.page import page
from streambench.lab.show.output import as_text, check_places, write_all


@click.command()
@click.argument("names", type=LocalPath(), metavar="RESULT...", nargs=-1, required=True)
@click.option(
    "--out",
    type=LocalPath(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="The page; one that is there is replaced.",
)
def command(names: tuple[str, ...], out: Path) -> None:
    """Make one HTML page of result files. It opens from the disk, and needs no network and no other file.

    RESULT is a result file of any kind, a folder or a pattern of them, or what `streambench run --json` wrote: with
    --timeline it shows what each worker did when. The page has what the results hold: verdicts, throughput over
    workers, latency over load, percentiles, where workers' time went, the paper's claims, targets, joins, top-k,
    peers, machine and method. Two results of one kind, on one machine and the same data, are compared. A
    click on a table's heading sorts it. A bench is drawn within seconds, a sweep takes longer.

    \b
    Examples:
      streambench report results/20260101T120000Z-amd-epyc-2c-bench.json
      streambench report before.json after.json --out change.html
      streambench report results --out everything.html
    """
    paths = result_files(names)
    check_places({"--out": out})
    keep_inputs({"--out": out}, paths, names, "read")
    with BenchProgress(Console(stderr=True), "report") as progress:
        documents = read(paths)
        with whole(paths[0] if len(paths) == 1 else "one of the results", "the page cannot be made of it"):
            text = page(documents, progress.report)
    write_all({out: as_text(text)})
    click.echo(f"written: {out}")
