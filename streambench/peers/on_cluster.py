"""Queries on a standalone cluster of two workers on this machine: ours, over buckets too, beside Spark SQL."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from streambench.answers import oracle
from streambench.cluster import session as sessions
from streambench.cluster.run import opened, run_workload
from streambench.cluster.standalone import StandaloneCluster
from streambench.data.catalog import MANIFEST, Catalog
from streambench.datagen.deal import deal
from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.peers import spark_plans
from streambench.peers.columns import tables
from streambench.record.journal import Record
from streambench.workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES = ("q1", "q2", "q3", "q4")
WORKERS = 2
OURS, BUCKETS, SPARK_SQL, ONE_EXECUTOR, ONE_CORE = "spark", "spark, buckets", "spark-sql", "1 executor", "1 core"
Report = Callable[[str], None]


@dataclass(frozen=True)
class Target:
    """``of`` must be as many times as fast as ``against`` by ``least``."""

    name: str
    of: str
    against: str
    least: float


TARGETS = (
    Target("against Spark SQL", OURS, SPARK_SQL, 2.0),
    Target("against Spark SQL, with buckets", BUCKETS, SPARK_SQL, 5.0),
    Target("of one core's tuples per core-second", OURS, ONE_CORE, 0.5),
    Target("2 executors against 1", OURS, ONE_EXECUTOR, 1.7),
)


def measure(data: Path, queries: Sequence[str], repeats: int, report: Report = lambda what: None) -> list[Record]:
    """Runs over one data directory, which are interleaved: each with query, way, repeat, tuples, cores and seconds.

    Each way has run the query once before. A wrong answer raises StreambenchError: it has no number.
    """
    catalog = Catalog.open(data)
    with tempfile.TemporaryDirectory(prefix="streambench-buckets-") as folder:
        buckets = Catalog.open(_bucketed(data, Path(folder) / "data", queries))
        with StandaloneCluster(WORKERS, cores=1) as cluster:
            report("2 executors")
            with sessions.running(cluster.master) as spark:
                spark.conf.set("spark.sql.shuffle.partitions", str(WORKERS))
                ways: dict[str, tuple[int, Callable[[str], Callable[[], float]]]] = {
                    OURS: (WORKERS, lambda query: _ours(catalog, query, spark)),
                    BUCKETS: (WORKERS, lambda query: _ours(buckets, query, spark)),
                    SPARK_SQL: (WORKERS, lambda query: _spark_sql(catalog, query, spark)),
                    ONE_CORE: (1, lambda query: _one_core(catalog, query)),
                }
                runs = _interleaved(catalog, queries, repeats, ways, report)
            report("1 executor")
            with sessions.running(cluster.master, settings={"spark.cores.max": "1"}) as spark:
                alone = {ONE_EXECUTOR: (1, lambda query: _ours(catalog, query, spark))}
                return runs + _interleaved(catalog, queries, repeats, alone, report)


def ratios(runs: Sequence[Record], target: Target) -> dict[str, float]:
    """By query, how many times as fast; per core-second where that is the target's."""
    found = {}
    for query in dict.fromkeys(run["query"] for run in runs):
        of, against = (_rate(runs, query, way, target) for way in (target.of, target.against))
        if of is not None and against is not None:
            found[query] = of / against
    return found


def _rate(runs: Sequence[Record], query: str, way: str, target: Target) -> float | None:
    chosen = [run for run in runs if run["query"] == query and run["way"] == way]
    if not chosen:
        return None
    cores = chosen[0]["cores"] if target.against == ONE_CORE else 1
    return float(chosen[0]["tuples"] / median(run["seconds"] for run in chosen) / cores)


def _interleaved(
    catalog: Catalog,
    queries: Sequence[str],
    repeats: int,
    ways: dict[str, tuple[int, Callable[[str], Callable[[], float]]]],
    report: Report,
) -> list[Record]:
    runs = []
    for query in queries:
        ready = {way: (cores, make(query)) for way, (cores, make) in ways.items()}
        tuples = opened(query, catalog).rows
        for repeat in range(-1, repeats):  # the first warms up
            report(f"{query}, repeat {repeat + 1} of {repeats}")
            for way in list(ready) if repeat % 2 else reversed(list(ready)):
                cores, run = ready[way]
                seconds = run()
                if repeat >= 0:
                    of = {"query": query, "way": way, "repeat": repeat, "cores": cores}
                    runs.append({**of, "data": catalog.path.name, "tuples": tuples, "seconds": seconds})
    return runs


def _ours(catalog: Catalog, query: str, spark: SparkSession) -> Callable[[], float]:
    workload = opened(query, catalog)

    def run() -> float:
        result = run_workload(workload, spark)
        _require(result.problem)
        return result.seconds

    return run


def _spark_sql(catalog: Catalog, query: str, spark: SparkSession) -> Callable[[], float]:
    expected = oracle.expected(catalog, query)

    def run() -> float:
        begun = time.monotonic()
        frames = [
            spark.read.parquet(*map(str, files.files)).select(*read) for files, read in tables(catalog, query).values()
        ]
        answer = spark_plans.answer(query, spark_plans.held(query, frames[0], frames[1:]))
        seconds = time.monotonic() - begun
        _require(oracle.difference(query, answer, expected))
        return seconds

    return run


def _one_core(catalog: Catalog, query: str) -> Callable[[], float]:
    workload = Workload(query, catalog, preload=False)
    expected = workload.expected_answer()

    def run() -> float:
        begun = time.monotonic()
        _, pipeline = workload.run(Options(workers=1, pin=False), keep=workload.answer_needs_rows)
        answer = workload.answer(pipeline)
        seconds = time.monotonic() - begun
        _require(oracle.difference(query, answer, expected))
        return seconds

    return run


def _require(problem: str | None) -> None:
    if problem is not None:
        raise StreambenchError(f"wrong, so it has no number: {problem}")


def _bucketed(data: Path, to: Path, queries: Sequence[str]) -> Path:
    """A copy with a bucket for each core."""
    wanted = [opened(query, Catalog.open(data)).query for query in queries]
    for table in {name for query in wanted for name in (query.table, *query.dimensions["paper"])}:
        shutil.copytree(data / table, to / table)
    for table in {query.table for query in wanted}:
        deal(to, table, sorted(f"{table}/{file.name}" for file in (to / table).glob("*.parquet")), WORKERS)
    told = {"schema": 1, "kind": "datagen", "parameters": {"buckets": WORKERS}, "versions": {}, "tables": {}}
    (to / MANIFEST).write_text(json.dumps(told))
    return to
