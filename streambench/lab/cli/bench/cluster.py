"""`streambench bench cluster`: queries on a cluster of two workers on this machine, and their targets."""

from __future__ import annotations

from pathlib import Path

from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import some_of
from streambench.lab.cli.comma_list import words
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.options import argument, command_of, command_options, option
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.peers.cluster_settings import QUERIES, ClusterSettings
from streambench.lab.record.cluster_bench_summary import KIND, WAYS, wrong
from streambench.lab.record.journal import Record, data_state
from streambench.lab.show.tables import cluster as table


@command_options
class ClusterBenchOptions:
    """Fields as those of ``ClusterSettings``; no ``ways``: all."""

    queries: tuple[str, ...] = argument(f"[{','.join(QUERIES)}]", type=words(QUERIES), default=QUERIES)
    data: tuple[Path, ...] = option(
        "A data directory; several of different sizes show how the cost grows.",
        type=LocalPath(path_type=Path),
        multiple=True,
        required=True,
        metavar="DIR",
    )
    ways: tuple[str, ...] | None = some_of(WAYS, f"Which of {','.join(WAYS)}.  [default: all]")
    repeats: int = option("Runs of each, interleaved, after one to warm up.", 5)
    frame: FrameOptions = frame_options("json_path", "require_idle", "draws", "restart")


@command_of(ClusterBenchOptions, name=KIND)
def command(options: ClusterBenchOptions) -> None:
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
    bench = bench_of(ClusterBench, options)
    for each in options.data:
        data_state(Catalog.open(each), options.queries, "paper")  # a table that is missing is named before Spark starts
    BenchFrame(options.frame, table, wrong).run(bench)


class ClusterBench(ClusterSettings, Bench):
    """With Spark, which takes time to import, when it measures."""

    kind = KIND

    def runs(self, call: BenchCall) -> list[Record]:
        """Directory by directory."""
        from streambench.lab.peers.on_cluster import runs

        return runs(self, call)
