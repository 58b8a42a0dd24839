"""One frame for all distributions: what is measured of some rows, in SQL, beside what the model promises of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb

from streambench.datagen import model
from streambench.datagen.checking import expectation
from streambench.datagen.checking.expectation import sampling, spread
from streambench.datagen.checking.report import DataReport

Tolerance = float | Callable[[int], float]
"""A number, or one that depends on how many rows there are."""

DAYLIGHT = "BETWEEN 21600 AND 64799"
"""Of the seconds of a day, from 6:00 to 18:00."""


@dataclass
class Rows:
    """Use `measured`. Each call declares a property of the rows; one query measures them all."""

    report: DataReport
    table: str
    count: int = 0
    _sql: list[str] = field(default_factory=list)
    _judges: list[Callable[[Iterator[Any]], None]] = field(default_factory=list)

    def _declare(self, judge: Callable[..., None], *sql: str) -> None:
        self._sql += sql
        self._judges.append(lambda values: judge(*(next(values) for _ in sql)))

    def same(self, name: str, expected: object, *sql: str) -> None:
        """Exactly this value, or these."""
        single = len(sql) == 1
        self._declare(lambda *got: self.report.same(self._name(name), got[0] if single else got, expected), *sql)

    def numbered(self, name: str, key: str, count: int, of: str = "") -> None:
        """The keys are the numbers from 0 up, so many of them; `of`: DISTINCT where several rows have a key."""
        self.same(name, (count, 0, count - 1), f"count({of} {key})", f"min({key})", f"max({key})")

    def none(self, name: str, condition: str) -> None:
        """No row that meets the condition."""
        self.same(name, 0, f"count(*) FILTER ({condition})")

    def within(self, name: str, column: str, least: float, most: float) -> None:
        """All values lie in a range."""

        def judge(*ends: Any) -> None:
            low, high = (None if value is None else float(value) for value in ends)
            self.report.within(self._name(name), low, high, least, most)

        self._declare(judge, f"min({column})", f"max({column})")

    def near(self, name: str, sql: str, expected: float, tolerance: Tolerance, unit: str = "") -> None:
        """This number, but for a tolerance."""

        def judge(number: Any) -> None:
            allowed = tolerance(self.count) if callable(tolerance) else tolerance
            self.report.near(self._name(name), number, expected, allowed, unit)

        self._declare(judge, sql)

    def mean(self, name: str, column: str, expected: float, sd: float, slack: float = 0.0) -> None:
        """The mean of independent draws of a standard deviation."""
        self.near(name, f"avg({column})", expected, lambda rows: slack + spread(sd, rows))

    def share(self, name: str, condition: str, expected: float, slack: float = 0.0) -> None:
        """The share of the rows that meet the condition, independently of each other."""
        self.near(name, share(condition), expected, lambda rows: slack + sampling(expected, rows), "%")

    def items(self, column: str, sizes: model.Sizes) -> None:
        """The three parts of the item mixture; the normal part comes of a sum of uniforms: hence half a per cent."""
        hot, popular = expectation.item_shares(sizes)
        is_hot = f"{column} BETWEEN {model.HOT_ITEMS[0]} AND {model.HOT_ITEMS[1]}"
        is_popular = f"{column} IN (SELECT key FROM popular_item)"
        self.share("rows of the four hot items", is_hot, hot)
        self.share("rows of the popular items", is_popular, popular, 0.005)
        rest, sql = 1 - hot - popular, f"1 - {share(is_hot)} - {share(is_popular)}"
        self.near("rows of all other items", sql, rest, lambda rows: 0.005 + sampling(rest, rows), "%")

    def days(self, column: str, options: model.Options, events: int) -> None:
        """The stream's first and last day; a stream with hardly an event a day may miss them."""
        first, last = model.FIRST_DATE_SK, model.FIRST_DATE_SK + options.days - 1
        if events >= 20 * options.days:
            self.same("first and last day", (first, last), f"min({column})", f"max({column})")
        else:
            self.within("days", column, first, last)

    def measure(self, db: duckdb.DuckDBPyConnection, source: str) -> None:
        """Add the findings."""
        row = db.execute(f"SELECT {', '.join(['count(*)', *self._sql])} FROM {source}").fetchone()
        assert row is not None  # aggregates always give a row
        self.count, *numbers = row
        values = iter(numbers)
        for judge in self._judges:
            judge(values)

    def _name(self, name: str) -> str:
        return f"{self.table}: {name}"


@contextmanager
def measured(
    db: duckdb.DuckDBPyConnection, report: DataReport, table: str, source: str | None = None
) -> Iterator[Rows]:
    """The rows of `source`, which is SQL, by default of the table; findings are added when the block ends."""
    rows = Rows(report, table)
    yield rows
    rows.measure(db, source or table)


def share(condition: str) -> str:
    """The share of the rows that meet a condition, as SQL."""
    return f"avg(CASE WHEN {condition} THEN 1.0 ELSE 0.0 END)"


def counts(db: duckdb.DuckDBPyConnection, column: str, source: str) -> dict[Any, int]:
    """How many rows of the source have each value."""
    return dict(db.execute(f"SELECT {column}, count(*) FROM {source} GROUP BY ALL").fetchall())


def check_shares(
    report: DataReport, counted: dict[Any, int], names: dict[Any, str], shares: Sequence[float], rows: int, others: str
) -> None:
    """The share of each value by its name, of so many rows, and that there is no other value."""
    for (value, name), expected in zip(names.items(), shares, strict=True):
        report.near(name, counted.get(value, 0) / rows, expected, sampling(expected, rows), "%")
    report.same(others, sum(n for value, n in counted.items() if value not in names), 0)


def check_even(report: DataReport, name: str, counted: dict[Any, int], span: range, others: bool = True) -> None:
    """Every value of the span holds the same share: looks at the one farthest off, and for others."""
    total, expected = sum(counted.values()), 1 / len(span)
    farthest = max((counted.get(value, 0) / total for value in span), key=lambda one: abs(one - expected))
    report.near(f"{name} (farthest)", farthest, expected, sampling(expected, total), "%")
    if others:
        report.same(f"{name}: other values", total - sum(counted.get(value, 0) for value in span), 0)
