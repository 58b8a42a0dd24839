"""What SQL says of a run: each query's `.sql` files, run by DuckDB on the very files that are replayed.

`oracle.sql` gives the answer, `emitted.sql` the output sequence at the sink (where it is not the answer itself), and
`laps.sql` how many tuples each lap of a replayed stream causes; `counts.sql` all that is counted, where an answer may
be approximate. Each goes on where `head.sql` ends. Nothing here is shared with the operators.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from streambench.lab.answers import oracle_cache, sql
from streambench.lab.answers.oracle_cache import CACHE as CACHE
from streambench.lab.answers.row_difference import row_difference
from streambench.lab.data.catalog import Catalog
from streambench.pyx.tuples.table_sink import digest_rows

if TYPE_CHECKING:
    import duckdb

BATCH_ROWS = 1 << 16

Compute = Callable[[], pa.Table]


@dataclass(frozen=True)
class Sequence:
    """An output sequence at the sink: how many rows, and their digest, as `TableSink` makes it."""

    rows: int
    digest: str


def expected(catalog: Catalog, query: str, parameter_set: str = "paper", *, laps: int = 1) -> pa.Table:
    """The answer of `query` (`q1` ...) over the catalog's files, in the order of queries.md: int64 and double columns.

    `laps`: the stream is replayed so often, as `loader` defines it. Answers are kept in the data directory, unless it
    is read-only, and used again while files, SQL, parameters and DuckDB's version stay the same. Raises DataError for
    missing or unfit data.
    """
    return _Question(catalog, query, parameter_set).kept("oracle", laps)


def emitted(catalog: Catalog, query: str, parameter_set: str = "paper", *, laps: int = 1) -> pa.Table:
    """The whole output sequence at the sink, in order; as `expected`. It may be long: kept only if it has floats."""
    question = _Question(catalog, query, parameter_set)
    if question.text("emitted") is None:  # the answer is what the sink was given
        return question.kept("oracle", laps)
    if has_floats(query):
        return question.kept("emitted", laps)
    with question.result("emitted", laps) as result:
        return result.to_arrow_table()


def sequence(catalog: Catalog, query: str, parameter_set: str = "paper", *, laps: int = 1) -> Sequence:
    """Length and digest of `emitted`; as `expected`. Only for a query whose rows are integers, equal to the bit."""
    question = _Question(catalog, query, parameter_set)
    if question.text("emitted") is None:
        return _digested(question.kept("oracle", laps).to_batches())

    row: dict[str, Any] = question.kept("emitted", laps, lambda: question.digest(laps)).to_pylist()[0]
    return Sequence(**row)


def by_lap(catalog: Catalog, query: str, parameter_set: str = "paper", *, laps: int) -> pa.Table:
    """How many tuples each lap of `laps` gives the `sink` or the `last_operator` before it; as `expected`.

    Column `lap` counts from 0; its last row, a null, is the end of the stream. There are only as many laps as it takes
    until every further one gives as many as the last (`settled` in the query's parameters says why); a query settles by
    its stream's days, so the table may be shorter than `laps`, never longer.
    """
    question = _Question(catalog, query, parameter_set)
    laps = min(laps, question.settled())
    table = question.kept("laps", laps)
    counts = dict(zip(table.column("lap").to_pylist(), table.drop_columns(["lap"]).to_pylist(), strict=True))
    nothing = dict.fromkeys(table.column_names[1:], 0)
    return pa.Table.from_pylist(
        [{"lap": lap, **counts.get(lap, nothing)} for lap in (*range(laps), None)], schema=table.schema
    )


def carry(catalog: Catalog, query: str, parameter_set: str = "paper") -> None:
    """Let the data directory carry what SQL says of one lap, and of each lap of many: with it, runs of the query over a
    copy of the data are checked where DuckDB is not installed.

    Raises DataError as `expected`, OSError where the directory cannot be written.
    """
    question = _Question(catalog, query, parameter_set)
    question.carry("oracle", 1)
    if question.text("emitted") is not None:
        question.carry("emitted", 1, None if has_floats(query) else lambda: question.digest(1))
    question.carry("span", 1, question.span)
    for laps in range(2, question.settled() + 1):
        question.carry("laps", laps)


def true_counts(
    catalog: Catalog, query: str, parameter_set: str, rows: pa.Table, *, laps: int = 1
) -> tuple[pa.Table, int]:
    """How often what stands in `rows` (all their columns) occurs: the rows that occur at all, in any order, with the
    count as a further column `n`; and the sum of all counts, of what is not in `rows` too. As `expected`."""
    question = _Question(catalog, query, parameter_set)
    text = question.text("counts")
    assert text is not None
    with question.opened(laps) as connection:
        connection.register("asked", rows)
        connection.execute(f"CREATE TEMP TABLE counts AS {text}")
        keys = ", ".join(rows.column_names)
        table = connection.sql(f"SELECT * FROM asked JOIN counts USING ({keys})").to_arrow_table()
        ((total,),) = connection.sql("SELECT coalesce(sum(n), 0) FROM counts").fetchall()
        return table, int(total)


def has_floats(query: str) -> bool:
    """Whether the query's sink is given floating point numbers, which are compared to 1e-9."""
    rules = _rules(query)
    return any(name in rules.CLOSE for name in rules.EMITTED)


def difference(query: str, answer: pa.Table, expected: pa.Table) -> str | None:
    """None if `answer` equals `expected`, else one sentence that names the first row that differs.

    Integers must be equal; the columns that the query's parameters call CLOSE may differ by 1e-9 relative.
    """
    return _difference(query, "answer", _rules(query).ANSWER, answer, expected)


def sequence_difference(query: str, emitted: pa.Table, expected: pa.Table) -> str | None:
    """The same of two output sequences at the sink."""
    return _difference(query, "output sequence", _rules(query).EMITTED, emitted, expected)


def _difference(query: str, what: str, names: tuple[str, ...], got: pa.Table, expected: pa.Table) -> str | None:
    if tuple(got.column_names) != names:
        return f"{query}'s {what} has columns ({', '.join(got.column_names)}) instead of ({', '.join(names)})."
    return row_difference(query, what, got, expected, _rules(query).CLOSE)


def _digested(batches: Any) -> Sequence:
    rows, digest = 0, digest_rows([[]])
    for batch in batches:
        rows += batch.num_rows
        digest = digest_rows([column.to_numpy(zero_copy_only=False) for column in batch.columns], digest)
    return Sequence(rows, digest)


class _Question:
    """What is asked of SQL: a query with one of its parameter sets over a catalogue."""

    def __init__(self, catalog: Catalog, query: str, parameter_set: str) -> None:
        self.catalog, self.query, self.parameter_set = catalog, query.lower(), parameter_set
        self.rules = _rules(query)
        self.parameters: dict[str, object] = self.rules.PARAMETERS[parameter_set]
        needed: tuple[str, ...] = self.rules.DIMENSIONS[parameter_set]
        self.tables = [catalog.table(name) for name in (self.rules.TABLE, *needed)]

    def text(self, name: str) -> str | None:
        """The SQL of the query's file `name`.sql, None where there is none."""
        return sql.text(self.query, name)

    def opened(self, laps: int) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return sql.opened(self.catalog, self.query, self.tables, self.parameters, laps=laps)

    @contextmanager
    def result(self, name: str, laps: int) -> Iterator[duckdb.DuckDBPyRelation]:
        text = self.text(name)
        assert text is not None
        with self.opened(laps) as connection:
            yield connection.sql(text)

    def table(self, name: str, laps: int) -> pa.Table:
        with self.result(name, laps) as result:
            return result.to_arrow_table()

    def digest(self, laps: int) -> pa.Table:
        """Length and digest of the output sequence."""
        with self.result("emitted", laps) as result:
            sequence_digest = _digested(result.to_arrow_reader(BATCH_ROWS))
        return pa.table({"rows": [sequence_digest.rows], "digest": [sequence_digest.digest]})

    def span(self) -> pa.Table:
        """The days of one lap, see `sql.Span`."""
        with self.opened(1) as connection:
            days = sql.span(connection, self.rules.TABLE)
        return pa.table({"first_day": [days.first_day], "days": [days.days]})

    def settled(self) -> int:
        """The lap from which on every lap gives as many tuples."""
        days = self.kept("span", 1, self.span).to_pylist()[0]
        return int(self.rules.settled(self.parameters, days["first_day"], days["days"]))

    def kept(self, name: str, laps: int, compute: Compute | None = None) -> pa.Table:
        """The result of `name`.sql, or what `compute` makes of it, from the cache if it is there."""
        called, made_from = self._key(name, laps, compute)
        return oracle_cache.kept(
            self.catalog, called, made_from, self.tables, compute or (lambda: self.table(name, laps))
        )

    def carry(self, name: str, laps: int, compute: Compute | None = None) -> None:
        """Let the data directory carry it."""
        called, made_from = self._key(name, laps, compute)
        oracle_cache.carry(self.catalog, called, made_from, self.tables, self.kept(name, laps, compute))

    def _key(self, name: str, laps: int, compute: Compute | None) -> tuple[str, list[object]]:
        called = f"{self.query}-{self.parameter_set}-{name}-{laps}"
        return called, [self.text(name), self.parameters, laps, compute is not None]


def _rules(query: str) -> ModuleType:
    return importlib.import_module(f"streambench.queries.{query.lower()}.parameters")
