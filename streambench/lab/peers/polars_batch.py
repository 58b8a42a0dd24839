"""Polars in batch: each query as a lazy frame over columns in memory."""

from __future__ import annotations

import os

from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Asked, Peer, Ran, Run, lacks
from streambench.queries import query as queries


def prepare(asked: Asked) -> Run:
    """The columns of the query's tables in memory; its threads are fixed when Polars is loaded."""
    os.environ["POLARS_MAX_THREADS"] = str(asked.workers)
    import polars as pl

    from streambench.lab.peers.polars_plans import PLANS

    query = queries.find(asked.query)
    stream, *looked_up = [
        pl.read_parquet(list(files.files), columns=list(read)).lazy()
        for files, read in columns.tables(Catalog.open(asked.data), asked.query).values()
    ]
    plan = PLANS[asked.query](stream, *looked_up, query.parameters[columns.PARAMETERS])
    schema = columns.answer_schema(query.answer_columns)
    return lambda: Ran(plan.collect().to_arrow().select(schema.names).cast(schema))


PEER = Peer(
    name="polars",
    package="polars",
    streams=False,
    order="none",
    guarantees="none but the answer's sort",
    configure=lambda asked: f"batch, {asked.workers} threads, lazy frames over columns in memory",
    prepare=prepare,
    missing=lambda: lacks("polars"),
)
