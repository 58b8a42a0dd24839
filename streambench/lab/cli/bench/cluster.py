"""`streambench bench cluster`: queries on a cluster of two workers on this machine, and their targets."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, frame_options
from streambench.lab.cli.bench.bench_options import option, some_of
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.peers.cluster_settings import QUERIES, ClusterSettings
from streambench.lab.record.cluster_bench_summary import KIND, WAYS, wrong
from streambench.lab.record.journal import Record, data_state
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
@some_of("--ways", WAYS, f"Which of {','.join(WAYS)}.  [default: all]")
@option("--repeats", int, "Runs of each, interleaved, after one to warm up.", default=5)
@frame_options("json_path", "require_idle", "draws", "restart")
def command(
    frame: FrameOptions, queries: tuple[str, ...], data: tuple[Path, ...], ways: tuple[str, ...] | None, repeats: int
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
    wanted = ClusterBench(data, queries, ways or tuple(WAYS), repeats)
    for each in data:
        data_state(Catalog.open(each), queries, "paper")  # a table that is missing is named before Spark starts
    BenchFrame(frame, table, wrong).run(wanted)


class ClusterBench(ClusterSettings, Bench):
    """With Spark, which takes time to import, when it measures."""

    kind = KIND

    def runs(self, call: BenchCall) -> list[Record]:
        """Directory by directory."""
        from streambench.lab.peers.on_cluster import runs

        return runs(self, call)
