"""A query's own SQL, by DuckDB over its tables in memory."""

from __future__ import annotations

import re

import duckdb
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.lab.answers import sql
from streambench.lab.data.catalog import Catalog, TableFiles
from streambench.parquet_file import read_schema
from streambench.queries import query as queries


class DuckDBQuery:
    """``query`` with the paper's parameters over the columns that its SQL names, loaded into DuckDB's own tables.

    Raises DataError for a table that is missing.
    """

    def __init__(self, query: str, data: Catalog, threads: int) -> None:
        pipeline_query = queries.find(query)
        self._sql = str(sql.text(query, "oracle"))
        self._connection = duckdb.connect(":memory:", config={"threads": threads, "temp_directory": ""})  # never a disk
        for name, value in pipeline_query.parameters["paper"].items():
            self._connection.execute(f'SET VARIABLE "{name}" = {sql.literal(value)}')
        selects = sql.STAND_INS | {name: self._select(data.table(name)) for name in pipeline_query.dimensions["paper"]}
        selects[pipeline_query.table] = self._select(data.table(pipeline_query.table), f", 0::BIGINT AS {sql.LAP}")
        for name, select in selects.items():
            self._connection.execute(f"CREATE TABLE {name} AS {select}")

    def _select(self, table: TableFiles, more: str = "") -> str:
        words = set(re.findall(r"\w+", self._sql))
        named = [name for name in read_schema(table.files[0]).names if name in words]
        return f"SELECT {', '.join(named)}{more} FROM ({sql.files_of(table)})"

    def run(self) -> pa.Table:
        """Execute it once, and fetch the answer."""
        try:
            return self._connection.sql(self._sql).to_arrow_table()
        except duckdb.OutOfMemoryException as problem:
            raise StreambenchError("DuckDB ran out of memory: use a smaller scale factor.") from problem
