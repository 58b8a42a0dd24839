"""Joins, top-k and pipelines give one answer for one table, whatever holds it; the oracle loops over rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streambench
from streambench.pyx.table_sink import TableSink

WINDOW = 3
NAMES = ["ann", "東京", "", "bob", "ann", "O'Neil", "ann", "a\0b", "東京", "2.00"]
HUGE = [2**63 - 1, -(2**63), 0, 2**53 + 1, 2**53, 7, 7, 0, 2**63 - 1, 7]


def left() -> pa.Table:
    moments = pa.array([0, 0, 1, 1, 1, 4, 9, 9, 12, 12], pa.timestamp("ms"))
    return pa.table({"ts": moments, "user": NAMES, "id": HUGE})


def right() -> pa.Table:
    moments = pa.array([0, 1, 3, 3, 5, 9, 9, 10, 12, 15], pa.timestamp("ms"))
    return pa.table({"ts": moments, "user": NAMES[::-1], "id": HUGE[3:] + HUGE[:3]})


def dictionaries(table: pa.Table) -> pa.Table:
    return table.set_column(1, "user", table["user"].dictionary_encode())


def chunks(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(row, 1) for row in range(table.num_rows)])


def offset(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(3, 2), table, table.slice(0, 1)]).combine_chunks().slice(2, table.num_rows)


def cast(type: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    def other(table: pa.Table) -> pa.Table:
        return table.set_column(1, "user", table["user"].cast(type))

    return other


FORMS: dict[str, Callable[[pa.Table], Any]] = {
    "Arrow": lambda table: table,
    "Arrow, a row a chunk": chunks,
    "Arrow, a slice": offset,
    "Arrow, large texts": cast(pa.large_string()),
    "Arrow, views": cast(pa.string_view()),
    "Arrow, dictionaries": dictionaries,
    "Arrow, dictionaries of each chunk": lambda table: pa.concat_tables(
        [dictionaries(table[:4]), dictionaries(table[4:])]
    ),
    "Arrow, a batch": lambda table: table.combine_chunks().to_batches()[0],
    "pandas": lambda table: table.to_pandas(),
    "pandas, Arrow's types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, categories": lambda table: table.to_pandas().astype({"user": "category"}),
    "pandas, another index": lambda table: table.to_pandas().set_axis(range(10, 0, -1)),
    "Polars": pl.from_arrow,
    "Polars, categories": lambda table: pl.from_arrow(table).with_columns(pl.col("user").cast(pl.Categorical)),
}
PARQUET: dict[str, dict[str, Any]] = {
    "one row a group": {"row_group_size": 1},
    "no dictionaries": {"use_dictionary": False},
    "zstd": {"compression": "zstd"},
    "version 1": {"version": "1.0", "data_page_version": "1.0", "coerce_timestamps": "ms"},
    "version 2.6, small pages": {"version": "2.6", "data_page_version": "2.0", "data_page_size": 16},
    "no statistics": {"write_statistics": False},
    "dictionary kept": {"store_schema": True},
}


def naive_pairs(first: pa.Table, second: pa.Table) -> list[tuple[str, int, int]]:
    moments = [each["ts"].cast(pa.int64()).to_pylist() for each in (first, second)]
    return sorted(
        (user, a, b)
        for user, a in zip(first["user"].to_pylist(), moments[0], strict=True)
        for other, b in zip(second["user"].to_pylist(), moments[1], strict=True)
        if user == other and abs(a - b) <= WINDOW
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", ["Arrow", "pandas, categories"])
def test_a_join_is_that_of_the_rows_whatever_holds_its_sides(form: str, other: str) -> None:
    sides = [left(), right()]
    held = [FORMS[form](left()), FORMS[other](right())]
    joined = streambench.join(*held, equal=[("user", "user")], window=WINDOW)
    users = [str(user) for user in joined["user"].to_pylist()]
    assert sorted(users) == [user for user, _, _ in naive_pairs(*sides)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("column", ["user", "id"])
def test_topk_count_the_values_whatever_holds_them(form: str, column: str) -> None:
    held = FORMS[form](left())
    hitters = streambench.TopK(counters=64)
    hitters.update(held[column])
    assert {row.item: (row.lower, row.upper) for row in hitters.answer().top(20)} == {
        value: (count, count) for value, count in Counter(left()[column].to_pylist()).items()
    }


@pytest.mark.parametrize("form", FORMS)
def test_a_pipeline_returns_the_rows_whatever_holds_them(form: str) -> None:
    assert through_pipeline(FORMS[form](left())) == left().to_pylist()


@pytest.mark.parametrize("written", PARQUET)
def test_a_pipeline_returns_the_rows_of_a_file_however_it_was_written(written: str, tmp_path: Path) -> None:
    pq.write_table(left(), tmp_path / "a.parquet", **PARQUET[written])
    assert through_pipeline(tmp_path / "a.parquet") == left().to_pylist()


def through_pipeline(data: Any) -> list[dict[str, Any]]:
    source = streambench.ArrowSource(data)
    pipeline = streambench.Pipeline([source, TableSink()])
    pipeline.run(workers=2)
    return source.restore(pipeline.sink.to_arrow()).to_pylist()
