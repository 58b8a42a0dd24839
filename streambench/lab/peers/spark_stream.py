"""Spark Structured Streaming: micro-batches of the files, state by key, the answer after each micro-batch."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.execution.marker_statistics import QUANTILES
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns, spark_plans, spark_tables
from streambench.lab.peers.peer import Asked, Peer, Ran, Run


def prepare(asked: Asked) -> Run:
    """Spark, and the tables that are looked up in its cache; each run reads the stream's files anew."""
    session = spark_tables.started(asked)
    looked_up = [frame.cache() for frame in spark_tables.frames(session, asked)[1:]]
    for frame in looked_up:
        frame.count()
    files, read = next(iter(columns.tables(Catalog.open(asked.data), asked.query).values()))
    whole = session.read.parquet(*map(str, files.files)).schema
    path = _pattern(files.files)

    def run() -> Ran:
        answers: list[pa.Table] = []

        def keep(state: Any, batch: int) -> None:
            answers[:] = [spark_plans.answer(asked.query, state)]

        stream = session.readStream.schema(whole).parquet(path).select(*read)
        with tempfile.TemporaryDirectory(prefix="streambench-peers-") as folder:
            query = (
                spark_plans.held(asked.query, stream, looked_up)
                .writeStream.outputMode("complete")
                .foreachBatch(keep)
                .option("checkpointLocation", str(Path(folder) / "checkpoint"))
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
            batches = [each for each in query.recentProgress if each["numInputRows"] > 0]
        if not answers:
            raise StreambenchError("the stream ended without a micro-batch")
        took = [each["durationMs"]["triggerExecution"] / 1000 for each in batches]
        return Ran(answers[0], latency=_latency(took, [each["numInputRows"] for each in batches]), seconds=sum(took))

    return run


def _pattern(files: Sequence[Path]) -> str:
    """What a source of files takes: a folder or a pattern, never a single file, hence a pattern that only one fits."""
    first = files[0]
    return str(first.parent / ("*.parquet" if len(files) > 1 else f"[{first.name[0]}]{first.name[1:]}"))


def _latency(took: list[float], rows: list[int]) -> dict[str, float]:
    """Each tuple waits as long as its micro-batch takes."""
    waits = np.repeat(took, rows)
    found = np.quantile(waits, list(QUANTILES.values()), method="inverted_cdf")
    return {**dict(zip(QUANTILES, map(float, found), strict=True)), "mean": float(waits.mean())}


PEER = Peer(
    name="spark-streaming",
    package="pyspark",
    streams=True,
    order="none",
    guarantees="micro-batches one after the other; within one no order of tuples",
    configure=lambda asked: (
        f"local[{asked.workers}], as many shuffle partitions, all files in one call (availableNow, complete mode), "
        "read anew in each run; real-time mode takes no files"
    ),
    prepare=prepare,
    missing=spark_tables.missing,
)
