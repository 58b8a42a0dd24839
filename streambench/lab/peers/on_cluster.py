"""Queries on a standalone cluster of two workers on this machine: ours, over buckets too, beside Spark SQL."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from streambench.data_folder import data_files
from streambench.datagen.deal import deal
from streambench.execution.options import Options
from streambench.lab.answers import oracle
from streambench.lab.cluster import session as sessions
from streambench.lab.cluster.run import opened, run_workload
from streambench.lab.cluster.standalone import StandaloneCluster
from streambench.lab.data.catalog import MANIFEST, Catalog
from streambench.lab.measure.checked_run import interleaved
from streambench.lab.measure.frame import BenchCall
from streambench.lab.peers import spark_plans
from streambench.lab.peers.cluster_settings import ClusterSettings
from streambench.lab.peers.columns import tables
from streambench.lab.record.cluster_bench_summary import BUCKETS, ONE_CORE, ONE_EXECUTOR, OURS, SPARK_SQL
from streambench.lab.record.journal import Record
from streambench.lab.workloads.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKERS = 2
CORES = {OURS: WORKERS, BUCKETS: WORKERS, SPARK_SQL: WORKERS, ONE_EXECUTOR: 1, ONE_CORE: 1}
Once = Callable[[], tuple[float, str | None]]
"""One run: the seconds that it took, and the first difference from SQL's answer."""


def runs(settings: ClusterSettings, call: BenchCall) -> list[Record]:
    """Measure what is not kept yet; return all runs.

    The ways run interleaved, but for the one executor, which is another Spark and so comes after. Each has run a query
    once before; a wrong answer has no number.
    """
    total = len(settings.data) * len(settings.queries) * len(settings.ways) * settings.repeats
    records: list[Record] = []
    for directory in settings.data:
        for executors in (WORKERS, 1):
            ways = [way for way in settings.ways if (way == ONE_EXECUTOR) == (executors == 1)]
            with _Side(directory, settings.queries, executors) as side:
                for query in settings.queries:
                    once = {way: _warmed(partial(side.ready, query, way)) for way in ways}
                    for repeat, place in interleaved(len(ways), settings.repeats):
                        way = ways[place]
                        call.tell(f"{directory.name}: {query}, {way}, repeat {repeat + 1}", len(records) / total)
                        key = f"{directory.resolve().name} {query} {way} {repeat}"
                        records.append(call.run(key, partial(_record, side, query, way, repeat, once[way])))
    return records


def _record(side: _Side, query: str, way: str, repeat: int, once: Once) -> Record:
    seconds, problem = once()
    return {
        "query": query,
        "data": side.data.path.resolve().name,
        "way": way,
        "repeat": repeat,
        "cores": CORES[way],
        "tuples": opened(query, side.data).rows,
        "seconds": seconds if problem is None else None,
        "problem": problem,
        "verified": problem is None,
        "core_round_trip_ns": None,
    }


def _warmed(ready: Callable[[], Once]) -> Once:
    """What is made, and run once, when it is first needed."""
    first: list[Once] = []

    def once() -> tuple[float, str | None]:
        if not first:
            first.append(ready())
            first[0]()
        return first[0]()

    return once


class _Side:
    """A context over one data directory; cluster, Spark and buckets come up when the first run needs them."""

    def __init__(self, directory: Path, queries: Sequence[str], executors: int) -> None:
        self.data = Catalog.open(directory)
        self._queries, self._executors = queries, executors
        self._stack = ExitStack()

    def __enter__(self) -> _Side:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def ready(self, query: str, way: str) -> Once:
        """What runs the query in this way."""
        if way == ONE_CORE:
            return _one_core(self.data, query)
        if way == SPARK_SQL:
            return _spark_sql(self.data, query, self.spark)
        return _ours(self.buckets if way == BUCKETS else self.data, query, self.spark)

    @cached_property
    def spark(self) -> SparkSession:
        """On a cluster of two workers of one core, all of which or one it may use."""
        cluster = self._stack.enter_context(StandaloneCluster(WORKERS, cores=1))
        settings = {"spark.cores.max": str(self._executors)}
        spark = self._stack.enter_context(sessions.running(cluster.master, settings=settings))
        spark.conf.set("spark.sql.shuffle.partitions", str(WORKERS))
        return spark

    @cached_property
    def buckets(self) -> Catalog:
        """The data dealt to a bucket for each core."""
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="streambench-buckets-"))
        return Catalog.open(_bucketed(self.data.path, Path(folder) / "data", self._queries))


def _ours(catalog: Catalog, query: str, spark: SparkSession) -> Once:
    workload = opened(query, catalog)

    def run() -> tuple[float, str | None]:
        result = run_workload(workload, spark)
        return result.seconds, result.problem

    return run


def _spark_sql(catalog: Catalog, query: str, spark: SparkSession) -> Once:
    expected = oracle.expected(catalog, query)

    def run() -> tuple[float, str | None]:
        begun = time.monotonic()
        frames = [
            spark.read.parquet(*map(str, files.files)).select(*read) for files, read in tables(catalog, query).values()
        ]
        answer = spark_plans.answer(query, spark_plans.held(query, frames[0], frames[1:]))
        seconds = time.monotonic() - begun
        return seconds, oracle.difference(query, answer, expected)

    return run


def _one_core(catalog: Catalog, query: str) -> Once:
    workload = Workload(query, catalog, preload=False)
    expected = workload.expected_answer()

    def run() -> tuple[float, str | None]:
        begun = time.monotonic()
        _, pipeline = workload.run(Options(workers=1, pin=False), keep=workload.answer_needs_rows)
        answer = workload.answer(pipeline)
        seconds = time.monotonic() - begun
        return seconds, oracle.difference(query, answer, expected)

    return run


def _bucketed(data: Path, to: Path, queries: Sequence[str]) -> Path:
    """A copy with a bucket for each core."""
    stream_queries = [opened(query, Catalog.open(data)).query for query in queries]
    for table in {name for query in stream_queries for name in (query.table, *query.dimensions["paper"])}:
        shutil.copytree(data / table, to / table)
    for table in {query.table for query in stream_queries}:
        deal(to, table, sorted(f"{table}/{file.name}" for file in data_files(to / table)), WORKERS)
    manifest = {"schema": 1, "kind": "datagen", "parameters": {"buckets": WORKERS}, "versions": {}, "tables": {}}
    (to / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    return to
