"""The answers that SQL gives: each query's `oracle.sql`, run by DuckDB on the very files that are replayed."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import math
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from streambench.catalog import Catalog, TableFiles
from streambench.errors import DataError

RELATIVE = 1e-9
CACHE = ".oracle"

# What a parameter set does not look up need not exist, but the SQL names it in a branch that is then never taken.
STAND_INS = {"item": "SELECT 0::BIGINT AS i_item_sk, 0::INTEGER AS i_category_id WHERE false"}


def expected(catalog: Catalog, query: str, parameter_set: str = "paper", threads: int | None = None) -> pa.Table:
    """The answer of `query` (`q1` ...) over the catalog's files, in the order of queries.md: int64 and double columns.

    `threads` bounds DuckDB's threads. Answers are kept in the data directory, unless it is read-only, and used again
    while files, SQL, parameters and DuckDB's version stay the same. Raises DataError for missing or unfit data.
    """
    rules = importlib.import_module(f"streambench.queries.{query}.parameters")
    parameters: dict[str, object] = rules.PARAMETERS[parameter_set]
    needed: tuple[str, ...] = rules.DIMENSIONS[parameter_set]
    tables = [catalog.table(name) for name in (rules.TABLE, *needed)]
    sql = resources.files(f"streambench.queries.{query}").joinpath("oracle.sql").read_text(encoding="utf-8")
    cached = _cached_file(catalog, query, parameter_set, _state(tables, sql, parameters))
    answer = _read_cached(cached, rules.ANSWER)
    if answer is None:
        answer = _run(catalog, query, sql, parameters, tables, threads)
        _write_cached(cached, answer)
    return answer


def difference(query: str, answer: pa.Table, expected: pa.Table) -> str | None:
    """None if `answer` equals `expected`, else one sentence that names the first row that differs.

    Integers must be equal; the columns that the query's parameters call CLOSE may differ by 1e-9 relative.
    """
    rules = importlib.import_module(f"streambench.queries.{query}.parameters")
    names: tuple[str, ...] = rules.ANSWER
    if tuple(answer.column_names) != names:
        return f"{query}'s answer has columns ({', '.join(answer.column_names)}) instead of ({', '.join(names)})."
    pairs = zip(_rows(answer, names), _rows(expected, names), strict=False)
    for row, (got, wanted) in enumerate(pairs):
        if not all(
            _close(a, b) if name in rules.CLOSE else a == b for name, a, b in zip(names, got, wanted, strict=True)
        ):
            return f"Row {row} of {query}'s answer is {_show(names, got)} but SQL says {_show(names, wanted)}."
    if answer.num_rows != expected.num_rows:
        row = min(answer.num_rows, expected.num_rows)
        longer, whose = (answer, "only the answer") if answer.num_rows > row else (expected, "only SQL")
        extra = _show(names, _rows(longer.slice(row, 1), names)[0])
        return (
            f"{query}'s answer has {answer.num_rows} rows where SQL gives {expected.num_rows}: {whose} has row {row}, "
            f"{extra}."
        )
    return None


def _rows(table: pa.Table, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    columns = [table.column(name).to_pylist() for name in names]
    return list(zip(*columns, strict=True))


def _close(got: float | None, wanted: float | None) -> bool:
    if got is None or wanted is None:
        return got is wanted
    return math.isfinite(got) and abs(got - wanted) <= RELATIVE * max(abs(got), abs(wanted))


def _show(names: tuple[str, ...], row: tuple[Any, ...]) -> str:
    return "(" + ", ".join(f"{name} {value}" for name, value in zip(names, row, strict=True)) + ")"


def _run(
    catalog: Catalog,
    query: str,
    sql: str,
    parameters: dict[str, object],
    tables: list[TableFiles],
    threads: int | None,
) -> pa.Table:
    # Spilled data must not land in the directory that the user happens to stand in.
    with tempfile.TemporaryDirectory(prefix="streambench-oracle-") as spill:
        connection = duckdb.connect(":memory:", config={"temp_directory": spill})
        try:
            if threads is not None:
                connection.execute(f"SET threads = {int(threads)}")
            for name, value in parameters.items():
                connection.execute(f'SET VARIABLE "{name}" = {literal(value)}')
            views = dict(STAND_INS)
            views.update((table.name, files_of(table)) for table in tables)
            for name, select in views.items():
                connection.execute(f"CREATE VIEW {name} AS {select}")
            return connection.sql(sql).to_arrow_table()
        except duckdb.OutOfMemoryException as problem:
            raise DataError(
                f"SQL ran out of memory or disk answering {query} over {catalog.path}: use a smaller scale factor, or "
                "give it more room."
            ) from problem
        except duckdb.Error as problem:
            reason = str(problem).splitlines()[0]
            raise DataError(f"SQL cannot answer {query} over {catalog.path} ({reason}): check the data.") from problem
        except RuntimeError as problem:  # how DuckDB reports Ctrl-C
            if "interrupted" in str(problem):
                raise KeyboardInterrupt from problem
            raise
        finally:
            connection.close()


def files_of(table: TableFiles) -> str:
    """SQL that reads a table's files."""
    files = ", ".join(_quoted(_no_glob(str(file.absolute()))) for file in table.files)
    return f"SELECT * FROM read_parquet([{files}], hive_partitioning = false)"


def _no_glob(path: str) -> str:
    """DuckDB expands wildcards in file names; each one in brackets stands for itself."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def literal(value: object) -> str:
    """A parameter in SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(literal(element) for element in value) + "]"
    raise TypeError(f"no SQL literal for {value!r}")


def _state(tables: list[TableFiles], sql: str, parameters: dict[str, object]) -> str:
    stats = [(table.name, file.name, file.stat()) for table in tables for file in table.files]
    files = [[table, name, stat.st_size, stat.st_mtime_ns] for table, name, stat in stats]
    text = json.dumps([files, sql, parameters, duckdb.__version__], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _cached_file(catalog: Catalog, query: str, parameter_set: str, state: str) -> Path:
    return catalog.path / CACHE / f"{query}-{parameter_set}-{state}.parquet"


def _read_cached(file: Path, names: tuple[str, ...]) -> pa.Table | None:
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException):
        return None
    return table if tuple(table.column_names) == names else None


def _write_cached(file: Path, answer: pa.Table) -> None:
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(exist_ok=True)
        pq.write_table(answer, partial)
        partial.replace(file)
        query_and_set = file.name.rsplit("-", 1)[0]
        for stale in file.parent.glob(f"{query_and_set}-*.parquet"):
            if stale != file:
                stale.unlink()
    except (OSError, pa.ArrowException):  # read-only or full: the answer is merely computed again next time
        return
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
