"""Spark SQL in batch: the tables cached in memory, the whole query one plan."""

from __future__ import annotations

from streambench.lab.peers import spark_plans, spark_tables
from streambench.lab.peers.peer import Asked, Peer, Ran, Run


def prepare(asked: Asked) -> Run:
    """Spark, and the columns of the query's tables in its cache."""
    session = spark_tables.started(asked)
    stream, *looked_up = [frame.cache() for frame in spark_tables.frames(session, asked)]
    for frame in (stream, *looked_up):
        frame.count()
    return lambda: Ran(spark_plans.answer(asked.query, spark_plans.held(asked.query, stream, looked_up)))


PEER = Peer(
    name="spark-sql",
    package="pyspark",
    streams=False,
    order="none",
    guarantees="none but the answer's ORDER BY",
    configure=lambda asked: f"batch, local[{asked.workers}], as many shuffle partitions, tables cached in memory",
    prepare=prepare,
    missing=spark_tables.missing,
)
