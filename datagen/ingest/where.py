"""The condition of --where: SQL over the columns of the file, evaluated by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from streambench.datagen.errors import DatagenError
from streambench.datagen.ingest.source import Source

_ROWS = "__sb_rows"


@dataclass(frozen=True)
class Condition:
    """A condition that fits a file's columns."""

    sql: str

    @classmethod
    def checked(cls, sql: str, source: Source) -> Condition:
        """DatagenError for a condition that is no SQL, names no column of the file, or is not true or false."""
        rows = pa.table({name: pa.array([], kind) for name, kind in source.types.items()})
        try:
            with _over(rows) as connection:
                # As a filter it may hold neither aggregates nor windows, which would depend on how the file is cut.
                connection.execute(f"SELECT 1 FROM {_ROWS} WHERE ({sql}\n)")
                kind = str(connection.execute(f"DESCRIBE {_question(sql)}").fetchall()[0][1])
        except duckdb.Error as problem:
            raise DatagenError(
                f"The condition --where {sql!r} does not fit the file: {_first_line(problem)} "
                "(names that are no plain words stand in double quotes)."
            ) from None
        if kind != "BOOLEAN":
            raise DatagenError(f"The condition --where {sql!r} is a {kind}, not true or false: write a condition.")
        return cls(sql)

    def met(self, rows: pa.RecordBatch) -> np.ndarray:
        """Where the condition is true (not: unknown). DatagenError where it fails on a value."""
        try:
            with _over(pa.Table.from_batches([rows])) as connection:
                met = connection.execute(_question(self.sql)).fetchnumpy()["condition"]
        except duckdb.Error as problem:
            raise DatagenError(f"The condition --where {self.sql!r} fails on a row: {_first_line(problem)}") from None
        return np.ma.filled(met, False).astype(bool)


@contextmanager
def _over(rows: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    # One thread keeps the rows' order, and a condition has no business with other files.
    with duckdb.connect(config={"threads": 1, "enable_external_access": False}) as connection:
        connection.register(_ROWS, rows)
        yield connection


def _question(sql: str) -> str:
    return f"SELECT ({sql}\n) AS condition FROM {_ROWS}"


def _first_line(problem: Exception) -> str:
    return " ".join(str(problem).split("\n\n")[0].split())
