"""Polars in batch: each query as a lazy frame over columns in memory."""

from __future__ import annotations

import os

from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Peer, PeerJob, Ran, Run, lacks
from streambench.queries import query as queries


def prepare(job: PeerJob) -> Run:
    """The columns of the query's tables in memory; its threads are fixed when Polars is loaded."""
    os.environ["POLARS_MAX_THREADS"] = str(job.workers)
    import polars as pl

    from streambench.lab.peers.polars_plans import PLANS

    query = queries.find(job.query)
    stream, *looked_up = [
        pl.read_parquet(list(files.files), columns=list(read)).lazy()
        for files, read in columns.tables(Catalog.open(job.data), job.query).values()
    ]
    plan = PLANS[job.query](stream, *looked_up, query.parameters[columns.PARAMETERS])
    schema = columns.answer_schema(query.answer_columns)
    return lambda: Ran(plan.collect().to_arrow().select(schema.names).cast(schema))


PEER = Peer(
    name="polars",
    package="polars",
    streams=False,
    order="none",
    guarantees="none but the answer's sort",
    configure=lambda job: f"batch, {job.workers} threads, lazy frames over columns in memory",
    prepare=prepare,
    missing=lambda: lacks("polars"),
)
