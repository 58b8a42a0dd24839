"""SQL over a catalogue's files: DuckDB with the tables as views, the fact table as a stream of several laps.

DuckDB is imported where SQL is asked: that takes a fifth of a second, which runs that are not checked are spared.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from streambench.errors import DataError, StreambenchError
from streambench.lab.data.catalog import Catalog, TableFiles

if TYPE_CHECKING:
    import duckdb

# What a parameter set does not look up need not exist, but the SQL names it in a branch that is then never taken.
STAND_INS = {"item": "SELECT 0::BIGINT AS i_item_sk, 0::INTEGER AS i_category_id WHERE false"}

# The columns that move on from lap to lap: the date by the stream's days, the number, if any, by the greatest one + 1.
MOVING: dict[str, tuple[str, str | None]] = {
    "store_sales": ("ss_sold_date_sk", "ss_ticket_number"),
    "web_clickstreams": ("wcs_click_date_sk", "wcs_sales_sk"),
    "ad_events": ("ae_date_sk", None),
}
LAP = "stream_lap"


@dataclass(frozen=True)
class Span:
    """Event time of one lap of a stream: its first day, and how many days it spans. 1 day where there are no rows."""

    first_day: int
    days: int


def text(query: str, name: str) -> str | None:
    """The SQL of the query's file ``name``.sql, None where there is none.

    What its files have in common stands once, in ``head.sql``: a WITH clause, which each of the others goes on with.
    """
    folder = resources.files(f"streambench.queries.{query}")
    head, rest = folder.joinpath("head.sql"), folder.joinpath(f"{name}.sql")
    if not rest.is_file():
        return None
    return "".join(file.read_text(encoding="utf-8") for file in (head, rest) if file.is_file())


@contextlib.contextmanager
def opened(
    catalog: Catalog,
    query: str,
    tables: Sequence[TableFiles],
    parameters: Mapping[str, object],
    *,
    laps: int = 1,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection on which ``tables``, the fact table first, are views and ``parameters`` variables.

    The fact table holds ``laps`` laps, as `loader` defines them but computed here once more: with each lap its date
    moves on by the stream's days and its ticket or order numbers by the greatest one + 1; a null stays null. Its column
    ``stream_lap`` counts them from 0. Problems of DuckDB's become DataErrors.
    """
    duckdb = database()
    with connected() as connection:
        try:
            for name, value in parameters.items():
                connection.execute(f'SET VARIABLE "{name}" = {literal(value)}')
            views = dict(STAND_INS)
            views.update((table.name, files_of(table)) for table in tables[1:])
            for name, select in views.items():
                connection.execute(f"CREATE VIEW {name} AS {select}")
            fact = tables[0]
            connection.execute(f"CREATE VIEW one_lap AS {files_of(fact)}")
            connection.execute(f"CREATE VIEW {fact.name} AS {_in_laps(connection, fact.name, laps)}")
            yield connection
        except duckdb.OutOfMemoryException as problem:
            raise DataError(
                f"SQL ran out of memory or disk answering {query} over {catalog.path}: use a smaller scale factor, or "
                "give it more room."
            ) from problem
        except duckdb.Error as problem:
            reason = str(problem).splitlines()[0]
            raise DataError(f"SQL cannot answer {query} over {catalog.path} ({reason}): check the data.") from problem


def database() -> Any:
    """The module ``duckdb``. Raises StreambenchError where it is not installed."""
    try:
        import duckdb
    except ModuleNotFoundError as problem:
        raise StreambenchError(
            "SQL has to answer this, and DuckDB is not installed: pip install duckdb, or use data that carry their "
            "answers."
        ) from problem
    return duckdb


@contextlib.contextmanager
def connected() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database of its own, in memory; Ctrl-C is KeyboardInterrupt on it, too."""
    duckdb = database()
    # Spilled data must not land in the directory that the user happens to stand in.
    with tempfile.TemporaryDirectory(prefix="streambench-oracle-") as spill:
        connection = duckdb.connect(":memory:", config={"temp_directory": spill})
        try:
            yield connection
        except RuntimeError as problem:  # how DuckDB reports Ctrl-C
            if "interrupted" in str(problem):
                raise KeyboardInterrupt from problem
            raise
        finally:
            connection.close()


def span(connection: duckdb.DuckDBPyConnection, table: str) -> Span:
    """The days of one lap of the fact table, on a connection of `opened`."""
    date = MOVING[table][0]
    row = connection.execute(f"SELECT min({date}), max({date}) FROM one_lap").fetchone()
    if row is None or row[0] is None:
        return Span(0, 1)
    return Span(int(row[0]), int(row[1]) - int(row[0]) + 1)


def _in_laps(connection: duckdb.DuckDBPyConnection, table: str, laps: int) -> str:
    if laps == 1:
        return f"SELECT *, 0::BIGINT AS {LAP} FROM one_lap"
    date, number = MOVING[table]
    moved = f"CAST({date} AS BIGINT) + {LAP} * {span(connection, table).days} AS {date}"
    if number is not None:
        moved += f", {_renumbered(connection, number, laps)}"
    return f"SELECT * REPLACE ({moved}) FROM one_lap CROSS JOIN (SELECT unnest(range({laps})) AS {LAP})"


def _renumbered(connection: duckdb.DuckDBPyConnection, number: str, laps: int) -> str:
    row = connection.execute(f"SELECT max({number}) FROM one_lap").fetchone()
    numbers = 0 if row is None or row[0] is None else int(row[0]) + 1
    kind = "BIGINT" if laps * numbers < 1 << 63 else "HUGEINT"  # where a query reads no number they need not fit
    return f"CAST({number} AS {kind}) + CAST({LAP} AS {kind}) * {numbers} AS {number}"


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
