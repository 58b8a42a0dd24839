"""`streambench bench cluster`: queries on a cluster of two workers on this machine, and their targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.lab.cli.bench.paper_bench import PaperBench, paper_bench_options
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers.cluster_settings import QUERIES, Settings
from streambench.lab.record.cluster_bench_summary import KIND, WAYS, wrong
from streambench.lab.record.journal import data_state
from streambench.lab.show.tables import cluster as table


@click.command(name=KIND)
@click.argument("queries", type=words(QUERIES), default=QUERIES, metavar=f"[{','.join(QUERIES)}]")
@click.option(
    "--data",
    type=LocalPath(path_type=Path),
    multiple=True,
    required=True,
    metavar="DIR",
    help="A data directory; several of different sizes show how the cost grows.",
)
@click.option("--ways", type=words(tuple(WAYS)), metavar="NAME,..", help=f"Which of {','.join(WAYS)}.  [default: all]")
@click.option(
    "--repeats", type=int, default=5, show_default=True, help="Runs of each, interleaved, after one to warm up."
)
@paper_bench_options
def command(
    queries: tuple[str, ...],
    data: tuple[Path, ...],
    ways: tuple[str, ...] | None,
    repeats: int,
    json_path: Path | None,
    folder: Path,
    **call: Any,
) -> None:
    """Measure queries on a standalone Spark cluster of two workers of one core, started here for it.

    Side by side: ours over files as they are and over buckets, and Spark SQL over the same files on the same cluster;
    ours on one executor, and `run` on one core without Spark. Spark's own start is left out. Whoever answers wrongly
    has no number: the command ends with 1. Several --data give a row of what further tuples take, a job's own cost
    apart, and the figure of the cost over growing data. A call that was interrupted goes on where it stopped when it is
    given again.

    \b
    Examples:
      streambench bench cluster --data data/sf1 --data data/sf3
      streambench bench cluster q4 --data data/sf1 --repeats 9 --ways spark,spark-sql
    """
    settings = Settings(data, queries, ways or tuple(WAYS), repeats)
    for each in data:
        data_state(Catalog.open(each), queries, "paper")  # a table that is missing is named before Spark starts
    PaperBench(KIND, _measure, table, wrong).run(settings, json_path=json_path, folder=folder, **call)


def _measure(*given: Any, **how: Any) -> dict[str, Any]:
    from streambench.lab.peers.on_cluster import measure  # and with it PySpark, which takes time to import

    return measure(*given, **how)
