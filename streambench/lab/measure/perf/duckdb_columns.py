"""A query's own SQL, by DuckDB with one thread over its tables in memory."""

from __future__ import annotations

import time

import duckdb
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.lab.answers import sql
from streambench.lab.workloads.workload import Workload


class DuckDBQuery:
    """``workload``'s query over the rows of its stream and the look-up tables, all loaded into DuckDB's own columns.

    Raises DataError for a table that is missing.
    """

    def __init__(self, workload: Workload) -> None:
        name = workload.name
        self._sql = str(sql.text(name, "oracle"))
        self._connection = duckdb.connect(":memory:", config={"threads": 1, "temp_directory": ""})  # memory or nothing
        for parameter, value in workload.parameters.items():
            self._connection.execute(f'SET VARIABLE "{parameter}" = {sql.literal(value)}')
        needed = (workload.query.table, *workload.query.dimensions[workload.parameter_set])
        tables = {**sql.STAND_INS, **{each: sql.files_of(workload.data.table(each)) for each in needed}}
        tables[needed[0]] = f"SELECT *, 0::BIGINT AS {sql.LAP} FROM ({tables[needed[0]]})"
        for table, select in tables.items():
            self._connection.execute(f"CREATE TABLE {table} AS {select}")

    def run(self) -> tuple[float, pa.Table]:
        """Execute it once: seconds until the answer is fetched, and the answer."""
        begun = time.perf_counter()
        try:
            answer = self._connection.sql(self._sql).to_arrow_table()
        except duckdb.OutOfMemoryException as problem:
            raise StreambenchError("DuckDB ran out of memory: use a smaller scale factor.") from problem
        return time.perf_counter() - begun, answer
