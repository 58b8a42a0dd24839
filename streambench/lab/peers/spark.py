"""Spark on this machine: in batch, the tables cached in memory and the whole query one plan; and Structured Streaming,
micro-batches of the files, state by key, the answer after each micro-batch.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.execution.marker_statistics import QUANTILES
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Peer, PeerJob, Ran, Run, lacks


def missing() -> str | None:
    """What Spark lacks here."""
    if shutil.which("java") is None:
        return "Java is not installed (sudo apt-get install -y default-jre-headless)"
    return lacks("pyspark")


def _started(job: PeerJob, cached: slice) -> tuple[Any, list[Any]]:
    """A session with a partition of every shuffle for each thread, as there are no other machines; the columns of the
    query's tables, the stream first, of which some are brought into its cache.
    """
    from streambench.datagen import spark

    session = spark.session(f"local[{job.workers}]", "streambench bench peers")
    session.conf.set("spark.sql.shuffle.partitions", str(job.workers))
    frames = [
        session.read.parquet(*map(str, files.files)).select(*read)
        for files, read in columns.tables(Catalog.open(job.data), job.query).values()
    ]
    for frame in frames[cached]:
        frame.cache().count()
    return session, frames


def prepare_batch(job: PeerJob) -> Run:
    """Spark, and the columns of the query's tables in its cache."""
    _, (stream, *looked_up) = _started(job, slice(None))
    from streambench.lab.peers import spark_plans

    return lambda: Ran(spark_plans.answer(job.query, spark_plans.held(job.query, stream, looked_up)))


def prepare_stream(job: PeerJob) -> Run:
    """Spark, and the tables that are looked up in its cache; each run reads the stream's files anew."""
    session, (_, *looked_up) = _started(job, slice(1, None))
    from streambench.lab.peers import spark_plans

    files, read = next(iter(columns.tables(Catalog.open(job.data), job.query).values()))
    whole = session.read.parquet(*map(str, files.files)).schema
    path = _pattern(files.files)

    def run() -> Ran:
        answers: list[pa.Table] = []

        def keep(state: Any, batch: int) -> None:
            answers[:] = [spark_plans.answer(job.query, state)]

        stream = session.readStream.schema(whole).parquet(path).select(*read)
        with tempfile.TemporaryDirectory(prefix="streambench-peers-") as folder:
            query = (
                spark_plans.held(job.query, stream, looked_up)
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
    levels = np.quantile(waits, list(QUANTILES.values()), method="inverted_cdf")
    return {**dict(zip(QUANTILES, map(float, levels), strict=True)), "mean": float(waits.mean())}


BATCH = Peer(
    name="spark-sql",
    package="pyspark",
    streams=False,
    order="none",
    guarantees="none but the answer's ORDER BY",
    configure=lambda job: f"batch, local[{job.workers}], as many shuffle partitions, tables cached in memory",
    prepare=prepare_batch,
    missing=missing,
)
STREAM = Peer(
    name="spark-streaming",
    package="pyspark",
    streams=True,
    order="none",
    guarantees="micro-batches one after the other; within one no order of tuples",
    configure=lambda job: (
        f"local[{job.workers}], as many shuffle partitions, all files in one call (availableNow, complete mode), "
        "read anew in each run; real-time mode takes no files"
    ),
    prepare=prepare_stream,
    missing=missing,
)
