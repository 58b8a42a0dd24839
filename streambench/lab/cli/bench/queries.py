"""`streambench bench queries`: queries and own pipelines on all cores: table, result file and figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from streambench.datagen.model import PROFILES
from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, Rows, frame_options
from streambench.lab.cli.bench.bench_options import TIME, option, scale_factor
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.local_path import LocalPath
from streambench.lab.cli.shared_options import oracle as oracle_option
from streambench.lab.cli.shared_options import parameter_set
from streambench.lab.measure.query_bench import QueryBench, worker_counts
from streambench.lab.show.tables import bench as table

OF_QUERIES = ("scale_factor", "days", "seed", "profile", "parameters")


@click.command()
@scale_factor(0.25)
@option(
    "--data",
    LocalPath(path_type=Path),
    "Measure over this data directory instead of generating one. Of own pipelines alone: a Parquet file, or a "
    "folder of them, for the functions.",
    metavar="DIR|FILE",
)
@option("--days", int, "Event time that the generated stream covers.", default=30)
@option("--seed", int, "Seed of the generated data.", default=1)
@option(
    "--profile",
    click.Choice(PROFILES),
    "Of the generated data: the clicks of a visit within minutes of each other, or (pdgf) at random within a day; "
    "heavy: tickets as long as a real shop's.",
    default="session",
)
@option(
    "--queries",
    words(),
    "Which queries, and own pipelines as module:function, with commas.",
    default="q1,q2,q3,q4,q15,ysb",
)
@oracle_option
@option("--workers", numbers(int, 1), "Numbers of workers, with commas.  [default: 1 to as many as there are cores]")
@option(
    "--units",
    numbers(int, 1),
    "Unit sizes to try, the best of which is measured.  [default: some for serial; the ordered engine chooses while it "
    "runs]",
)
@option("--repeats", int, "Runs of each configuration.", default=QueryBench.repeats)
@option(
    "--run-time",
    TIME,
    "What the fastest configuration's run lasts at least; the laps are chosen for it.",
    "min_seconds",
    default=f"{QueryBench.min_seconds:g}s",
)
@parameter_set
@frame_options("require_idle", "draws", "within", "restart", "keeps_journal")
def command(
    frame: FrameOptions,
    data: Path | None,
    queries: tuple[str, ...],
    oracle: Path | None,
    workers: tuple[int, ...] | None,
    units: tuple[int, ...] | None,
    repeats: int,
    min_seconds: float,
    parameters: str,
    **generate: Any,
) -> None:
    """Measure throughput and latency of the queries with one good thread (serial) and with the ordered engine.

    Runs are interleaved, warmed up, repeated, and every one is checked. The serial engine is calibrated to its best
    unit size first; the ordered engine chooses unit and plan while it runs. Prints a table; writes a dated JSON file
    and a figure. A call that was interrupted goes on where it stopped when it is given again.

    Own pipelines are measured likewise: module:function returns a new Pipeline in every call and is called once for
    each run, which lasts as long as its stream, whatever --run-time says; what --data names is given to it as a
    pyarrow Table.

    \b
    Examples:
      streambench bench queries
      streambench bench queries --scale-factor 1 --repeats 12
      streambench bench queries --data data/mine --queries q1 --workers 1,2,4
      streambench bench queries --queries readings:build --oracle records.sql
    """
    wanted = QueryBench(queries, workers or worker_counts(), repeats, min_seconds, units or (), parameters)
    source = BenchSource.of(wanted.queries, data, parameters, generate, oracle=oracle, of_queries=OF_QUERIES)
    QueryFrame(frame, table, _wrong).run(wanted, source)


class QueryFrame(BenchFrame):
    """Its table is a narrow one."""

    width = 120


def _wrong(summary: Rows) -> list[str]:
    bad = (row for row in summary if not row["verified"])
    return sorted({f"{row['query']} {row['engine']} with {row['workers']} workers" for row in bad})
