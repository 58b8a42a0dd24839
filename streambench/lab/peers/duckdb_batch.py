"""DuckDB in batch: each query's own SQL, which is also what all answers are checked against."""

from __future__ import annotations

from streambench.lab.answers import sql
from streambench.lab.data.catalog import Catalog
from streambench.lab.peers import columns
from streambench.lab.peers.peer import Asked, Peer, Ran, Run, lacks
from streambench.queries import query as queries

# What the SQL names besides: for the branches of other parameter sets, and for orders that files have already.
ALSO = {"q1": ("ss_store_sk",), "q15": ("ss_sold_time_sk", "ss_ticket_number", "ss_store_sk")}


def prepare(asked: Asked) -> Run:
    """A database in memory with the columns of the query's tables."""
    import duckdb

    query = queries.find(asked.query)
    connection = duckdb.connect(":memory:", config={"threads": asked.workers})
    for name, value in query.parameters[columns.PARAMETERS].items():
        connection.execute(f'SET VARIABLE "{name}" = {sql.literal(value)}')
    selects = dict(sql.STAND_INS)
    for name, (files, read) in columns.tables(Catalog.open(asked.data), asked.query).items():
        stream = name == query.table
        chosen = (*read, *ALSO.get(asked.query, ()), f"0::BIGINT AS {sql.LAP}") if stream else read
        selects[name] = f"SELECT {', '.join(chosen)} FROM ({sql.files_of(files)})"
    for name, select in selects.items():
        connection.execute(f"CREATE TABLE {name} AS {select}")
    text = str(sql.text(asked.query, "oracle"))
    return lambda: Ran(connection.sql(text).to_arrow_table())


PEER = Peer(
    name="duckdb",
    package="duckdb",
    streams=False,
    order="none",
    guarantees="none but the answer's ORDER BY",
    configure=lambda asked: f"batch, {asked.workers} threads, tables in memory, the SQL that answers are checked with",
    prepare=prepare,
    missing=lambda: lacks("duckdb"),
)
