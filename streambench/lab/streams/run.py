"""A stream from its start to its end, to a stop, or to what goes wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streambench.datagen.problems import known
from streambench.datagen.spark import for_writing
from streambench.errors import StreambenchError
from streambench.lab.data import lookup
from streambench.lab.data.catalog import Catalog
from streambench.lab.streams import sources
from streambench.lab.streams.keyed_work import KeyedWork
from streambench.lab.streams.processor import LATE, STATE, BucketProcessor, output_schema
from streambench.lab.streams.terms import StreamTerms
from streambench.queries import stream_query

METRICS = "output"
LOOK_SECONDS = 0.2
_LOOK_UPS: dict[str, tuple[str, Callable[[Catalog], Any]]] = {
    "item": ("categories", lookup.categories),
    "web_page": ("page_types", lookup.page_types),
}


@dataclass(frozen=True)
class Batch:
    """A micro-batch that is done: rows read, those ``unreadable``, those ``late``, ``keys`` with state in the buckets
    that it touched, and seconds that it took. Spark counts ``rows`` of tasks that it repeats once more.
    """

    number: int
    rows: int
    unreadable: int
    late: int
    keys: int
    seconds: float


def work_of(terms: StreamTerms) -> KeyedWork:
    """The query's work, with what it looks up. Raises StreambenchError where it looks something up and has no data."""
    query = stream_query.find(terms.query).query
    looked_up = {}
    for table in query.dimensions[terms.parameter_set]:
        if terms.data is None:
            raise StreambenchError(
                f"{terms.query} looks up the table {table}: give --data with a directory that has it."
            )
        field, read = _LOOK_UPS[table]
        looked_up[field] = read(Catalog.open(terms.data))
    return KeyedWork(terms.query, terms.parameter_set, looked_up)


def stepped(session: Any, terms: StreamTerms, work: KeyedWork) -> Any:
    """What the micro-batches give: rows that are added to the answer, late ones, and how many keys have state."""
    from pyspark.sql import functions as F

    rows = sources.opened(session, terms, work)
    dealt, key = _keyed(session, rows, work)
    timed = dealt.withColumn("bucket", F.pmod(F.col(key), F.lit(terms.buckets).cast("bigint"))).withColumn(
        sources.EVENT_TIME, F.timestamp_seconds("ts")
    )
    # The column of event time is left behind: where it is there, Spark drops late rows before anyone has counted them.
    timed = timed.withWatermark(sources.EVENT_TIME, f"{terms.lateness} seconds").select("bucket", *work.columns)
    out = timed.groupBy("bucket").transformWithStateInPandas(
        BucketProcessor(work), output_schema(work), "Append", "EventTime"
    )
    return out.observe(METRICS, F.count_if(F.col("kind") == LATE).alias("late"), F.sum("keys").alias("keys"))


def _keyed(session: Any, rows: Any, work: KeyedWork) -> tuple[Any, str]:
    """The rows that have a key: the others would all go into one bucket, for nothing."""
    from pyspark.sql import functions as F

    key = work.stream.key
    if key != "category":
        return rows.where(F.col(key) >= 0), key
    import pandas as pd

    items = pd.DataFrame({"item": range(len(work.looked_up["categories"])), key: work.looked_up["categories"]})
    known = F.broadcast(session.createDataFrame(items[items[key] >= 0]))
    return rows.join(known, F.col("ss_item_sk") == F.col("item")), key


def begin(out: Any, terms: StreamTerms) -> Any:
    """Start a `stepped` stream, from the beginning or where its checkpoint ends; a `StreamingQuery`."""
    from pyspark.sql import functions as F

    kept = out.where(F.col("kind") != STATE).drop("keys")
    writer = kept.writeStream.format("parquet").partitionBy("kind").option("path", for_writing(terms.output))
    writer = writer.option("checkpointLocation", for_writing(terms.spark_checkpoint)).queryName(
        f"streambench {terms.query}"
    )
    if terms.trigger is None:
        return writer.trigger(availableNow=True).start()
    return writer.trigger(processingTime=f"{round(terms.trigger * 1000)} milliseconds").start()


def follow(query: Any, tell: Callable[[Batch], None]) -> None:
    """Wait for the stream's end, and tell of each micro-batch. On Ctrl-C the stream is stopped: the micro-batch in work
    is given up, and done anew when the stream goes on. Raises StreambenchError where the stream fails."""
    last = -1
    problem: Exception | None = None
    try:
        while True:
            try:
                ended = query.awaitTermination(LOOK_SECONDS)
            except Exception as raised:
                ended, problem = True, raised
            for progress in query.recentProgress:
                # Of an idle stream Spark tells, too, by the number of the micro-batch that is to come.
                if progress.batchId > last and "addBatch" in progress.durationMs:
                    last = progress.batchId
                    tell(_batch(progress))
            if ended:
                break
    finally:
        _stop(query)
    if problem is not None:
        raise failed(problem) from problem


def _stop(query: Any) -> None:
    """Asked again where Java gives no answer, as may happen behind a call that Ctrl-C has broken off."""
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

    try:
        query.stop()
    except Py4JNetworkError:
        query.stop()


def failed(problem: Exception) -> StreambenchError:
    """The sentence for what Spark raises of a stream: what executors lack, or a Python worker or Java said last."""
    text = str(problem)
    lacking = known(text)
    if lacking is not None:
        return StreambenchError(f"the stream stopped, its checkpoint is whole: {lacking}")
    raised = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception): (.+)$", text, re.MULTILINE)
    reason = raised[-1] if raised else next(iter(text.splitlines()), type(problem).__name__)
    return StreambenchError(f"the stream stopped: {reason.strip().rstrip('.')}; its checkpoint is whole.")


def _batch(progress: Any) -> Batch:
    observed = progress.observedMetrics
    read = observed.get(sources.SOURCE_METRICS)
    out = observed.get(METRICS)
    return Batch(
        number=progress.batchId,
        rows=progress.numInputRows,
        unreadable=read.unreadable if read else 0,
        late=out.late if out else 0,
        keys=(out.keys or 0) if out else 0,
        seconds=progress.durationMs.get("triggerExecution", 0) / 1000,
    )
