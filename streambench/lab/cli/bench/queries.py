"""`streambench bench queries`: queries and own pipelines on all cores: table, result file and figure."""

from __future__ import annotations

from pathlib import Path

import click

from streambench.datagen.model import PROFILES
from streambench.lab.cli.bench.bench_frame import BenchFrame, FrameOptions, Rows, bench_of, frame_options
from streambench.lab.cli.bench.bench_options import scale_factor, seconds
from streambench.lab.cli.bench.bench_source import BenchSource
from streambench.lab.cli.comma_list import numbers, words
from streambench.lab.cli.options import command_of, command_options, option, shared
from streambench.lab.cli.shared_options import ParameterSet, oracle, parameter_set
from streambench.lab.measure.query_bench import QueryBench, worker_counts
from streambench.lab.show.tables import bench as table

GENERATE = ("scale_factor", "days", "seed", "profile")
OF_QUERIES = (*GENERATE, "parameters")


@command_options
class QueryBenchOptions:
    """What is measured, over which data, generated or there."""

    scale_factor: float = scale_factor(0.25)
    data: Path | None = option(
        "Measure over this data directory instead of generating one. Of own pipelines alone: a Parquet file, or a "
        "folder of them, for the functions.",
        metavar="DIR|FILE",
    )
    days: int = option("Event time that the generated stream covers.", 30)
    seed: int = option("Seed of the generated data.", 1)
    profile: str = option(
        "Of the generated data: the clicks of a visit within minutes of each other, or (pdgf) at random within a day; "
        "heavy: tickets as long as a real shop's; even: categories of equal size.",
        "session",
        type=click.Choice(PROFILES),
    )
    queries: tuple[str, ...] = option(
        "Which queries, and own pipelines as module:function, with commas.", "q1,q2,q3,q4,q15,ysb", type=words()
    )
    oracle: Path | None = shared(oracle)
    workers: tuple[int, ...] | None = option(
        "Numbers of workers, with commas.  [default: 1 to as many as there are cores]", type=numbers(int, 1)
    )
    units: tuple[int, ...] | None = option(
        "Unit sizes to try, the best of which is measured.  [default: some for serial; the ordered engine chooses "
        "while it runs]",
        type=numbers(int, 1),
    )
    repeats: int = option("Runs of each configuration.", QueryBench.repeats)
    min_seconds: float = seconds(
        "What the fastest configuration's run lasts at least; the laps are chosen for it.",
        f"{QueryBench.min_seconds:g}s",
        "--run-time",
    )
    parameters: ParameterSet = shared(parameter_set)
    frame: FrameOptions = frame_options("require_idle", "draws", "within", "restart", "keeps_journal")


@command_of(QueryBenchOptions)
def command(options: QueryBenchOptions) -> None:
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
    bench = bench_of(QueryBench, options, {"workers": worker_counts(), "parameter_set": options.parameters})
    generate = {name: getattr(options, name) for name in GENERATE}
    source = BenchSource.of(
        bench.queries, options.data, options.parameters, generate, oracle=options.oracle, of_queries=OF_QUERIES
    )
    QueryFrame(options.frame, table, _wrong).run(bench, source)


class QueryFrame(BenchFrame):
    """Its table is a narrow one."""

    width = 120


def _wrong(summary: Rows) -> list[str]:
    bad = (row for row in summary if not row["verified"])
    return sorted({f"{row['query']} {row['engine']} with {row['workers']} workers" for row in bad})
