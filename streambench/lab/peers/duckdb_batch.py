"""DuckDB in batch: each query's own SQL, which is also what all answers are checked against."""

from __future__ import annotations

from streambench.lab.data.catalog import Catalog
from streambench.lab.peers.peer import Peer, PeerJob, Ran, Run, lacks


def prepare(job: PeerJob) -> Run:
    """A database in memory with the columns of the query's tables."""
    from streambench.lab.measure.perf.duckdb_query import DuckDBQuery

    query = DuckDBQuery(job.query, Catalog.open(job.data), job.workers)
    return lambda: Ran(query.run())


PEER = Peer(
    name="duckdb",
    package="duckdb",
    streams=False,
    order="none",
    guarantees="none but the answer's ORDER BY",
    configure=lambda job: f"batch, {job.workers} threads, tables in memory, the SQL that answers are checked with",
    prepare=prepare,
    missing=lambda: lacks("duckdb"),
)
