"""Each query's SQL answers what a naive Python program answers, and differences between answers are found."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import small_data

from streambench.errors import DataError
from streambench.lab.answers import oracle, sql
from streambench.lab.data.catalog import Catalog

QUERIES = ("q1", "q2", "q3", "q4", "q15", "ysb")
SETS = ("paper", "kit")
SEEDS = range(12)


def rules(query: str) -> Any:
    return importlib.import_module(f"streambench.queries.{query}.parameters")


def as_table(query: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(rules(query).ANSWER)
    kinds = [pa.float64() if name in rules(query).CLOSE else pa.int64() for name in rules(query).ANSWER]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(dict(zip(rules(query).ANSWER, arrays, strict=True)))


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> dict[int, small_data.SmallData]:
    root = tmp_path_factory.mktemp("small")
    return {
        seed: small_data.make(root / str(seed), seed, tickets_ascend=seed % 3 != 0, in_order=seed % 4 != 3)
        for seed in SEEDS
    }


@pytest.mark.slow
@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_sql_answers_what_naive_python_answers(
    directories: dict[int, small_data.SmallData], seed: int, query: str, parameter_set: str
) -> None:
    data = directories[seed]
    _, answer = naive.run(query, data, rules(query).PARAMETERS[parameter_set])
    expected = oracle.expected(Catalog.open(data.path), query, parameter_set)
    assert oracle.difference(query, as_table(query, answer), expected) is None
    assert expected.schema == as_table(query, []).schema


@pytest.mark.parametrize("parameter_set", SETS)
@pytest.mark.parametrize("query", QUERIES)
def test_the_small_data_give_every_query_something_to_answer(
    directories: dict[int, small_data.SmallData], query: str, parameter_set: str
) -> None:
    answers = [naive.run(query, data, rules(query).PARAMETERS[parameter_set])[1] for data in directories.values()]
    assert sum(1 for answer in answers if answer and answer[0][-1] is not None) > len(answers) // 3


def test_the_small_data_reach_the_corner_cases(directories: dict[int, small_data.SmallData]) -> None:
    paper = {query: rules(query).PARAMETERS["paper"] for query in QUERIES}
    hourly = [naive.run("q1", data, paper["q1"])[1] for data in directories.values()]
    assert any(max(map([row[0] for row in rows].count, {row[0] for row in rows})) == 100 for rows in hourly)
    lines = [row for data in directories.values() for row in naive.run("q15", data, paper["q15"])[0]]
    assert any(row[2] == 0 for row in lines)  # exactly flat
    assert any(row[2] > 0 for row in lines)
    assert any(row[2] < 0 for row in lines)
    assert all(row[0] != 7 for row in lines)  # sold on one day only
    clicks = [click for data in directories.values() for click in data.clicks]
    assert len(set(clicks)) < len(clicks) or any(click.item is None for click in clicks)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("parameter_set", SETS)
def test_empty_tables_have_empty_answers(tmp_path: Path, query: str, parameter_set: str) -> None:
    small_data.write(tmp_path / "d", [], [], {}, {})
    expected = oracle.expected(Catalog.open(tmp_path / "d"), query, parameter_set)
    rows = [(0, 0, None)] if query == "q4" else []
    assert oracle.difference(query, as_table(query, rows), expected) is None


def test_a_parameter_set_without_look_ups_needs_no_item_table(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 0)
    for file in (data.path / "item").iterdir():
        file.unlink()
    (data.path / "item").rmdir()
    catalog = Catalog.open(data.path)
    assert oracle.expected(catalog, "q1", "paper").num_rows > 0
    with pytest.raises(DataError, match="Table item is missing"):
        oracle.expected(catalog, "q1", "kit")


def test_file_names_with_wildcards_and_quotes_are_taken_as_they_are(tmp_path: Path) -> None:
    plain = small_data.make(tmp_path / "plain", 2)
    odd = small_data.make(tmp_path / "it's [a-z]*? day=1" / "d", 2)
    answers = [oracle.expected(Catalog.open(data.path), "q3", "paper") for data in (plain, odd)]
    assert answers[0].num_rows > 0
    assert answers[0].equals(answers[1])


def test_a_kept_answer_is_used_again_until_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = small_data.make(tmp_path / "d", 4)
    first = oracle.expected(Catalog.open(data.path), "q4", "paper")
    (kept,) = (data.path / oracle.CACHE).iterdir()
    with monkeypatch.context() as patched:
        patched.setattr(sql, "opened", None)  # whoever computes fails
        assert oracle.expected(Catalog.open(data.path), "q4", "paper").equals(first)
    file = data.path / "web_clickstreams" / "part-00001.parquet"
    os.utime(file, ns=(0, 0))
    assert oracle.expected(Catalog.open(data.path), "q4", "paper").equals(first)
    assert [each.name for each in (data.path / oracle.CACHE).iterdir()] != [kept.name]


def test_a_damaged_kept_answer_is_computed_again(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 4)
    first = oracle.expected(Catalog.open(data.path), "q2", "paper")
    (kept,) = (data.path / oracle.CACHE).iterdir()
    kept.write_bytes(b"not parquet")
    assert oracle.expected(Catalog.open(data.path), "q2", "paper").equals(first)


def a_row_short(table: pa.Table) -> pa.Table:
    return table.slice(0, table.num_rows - 1)


def a_value_altered(table: pa.Table) -> pa.Table:
    last = table.column(table.num_columns - 1).to_pylist()
    return table.set_column(table.num_columns - 1, table.column_names[-1], pa.array([*last[:-1], last[-1] + 1]))


def two_rows_swapped(table: pa.Table) -> pa.Table:
    return table.take([1, 0, *range(2, table.num_rows)])


def a_column_renamed(table: pa.Table) -> pa.Table:
    return table.rename_columns([*table.column_names[:-1], "m"]).replace_schema_metadata(table.schema.metadata)


@pytest.mark.slow
@pytest.mark.parametrize("query", ["q2", "q3", "q15"])
@pytest.mark.parametrize("change", [a_row_short, a_value_altered, two_rows_swapped, a_column_renamed])
def test_a_kept_answer_that_was_changed_is_not_trusted(
    tmp_path: Path, query: str, change: Callable[[pa.Table], pa.Table]
) -> None:
    data = small_data.make(tmp_path / "d", 1)
    first = oracle.emitted(Catalog.open(data.path), query), oracle.expected(Catalog.open(data.path), query)
    for kept in (data.path / oracle.CACHE).iterdir():
        table = pq.read_table(kept)
        changed = change(table)
        assert changed.schema.metadata == table.schema.metadata  # whatever it was sealed with is still there
        pq.write_table(changed, kept)
    again = oracle.emitted(Catalog.open(data.path), query), oracle.expected(Catalog.open(data.path), query)
    assert all(now.equals(then) for now, then in zip(again, first, strict=True))


def test_a_kept_answer_of_other_files_is_not_trusted_under_this_ones_name(tmp_path: Path) -> None:
    one, other = (small_data.make(tmp_path / str(seed), seed) for seed in (1, 3))
    first = oracle.expected(Catalog.open(one.path), "q2")
    oracle.expected(Catalog.open(other.path), "q2")
    (here,), (there,) = ((each.path / oracle.CACHE).iterdir() for each in (one, other))
    here.write_bytes(there.read_bytes())
    assert oracle.expected(Catalog.open(one.path), "q2").equals(first)


def test_a_kept_sequence_that_was_changed_is_not_trusted(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 1)
    first = oracle.sequence(Catalog.open(data.path), "q3")
    (kept,) = (data.path / oracle.CACHE).iterdir()
    table = pq.read_table(kept)
    pq.write_table(table.set_column(1, "digest", pa.array(["0" * 16])).cast(table.schema), kept)
    assert oracle.sequence(Catalog.open(data.path), "q3") == first


def test_what_is_kept_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = Catalog.open(small_data.make(tmp_path / "d", 1).path)

    def asked() -> list[object]:
        return [
            oracle.expected(catalog, "q3"),
            oracle.sequence(catalog, "q3", laps=2),
            oracle.emitted(catalog, "q15"),
            oracle.expected(catalog, "q4", laps=3),
        ]

    first = asked()
    monkeypatch.setattr(sql, "opened", None)  # whoever computes fails
    assert asked() == first


def test_an_answer_that_cannot_be_kept_is_given_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = small_data.make(tmp_path / "d", 4)

    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(str(target))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        first = oracle.expected(Catalog.open(data.path), "q2", "paper")
    assert list((data.path / oracle.CACHE).iterdir()) == []
    assert first.equals(oracle.expected(Catalog.open(data.path), "q2", "paper"))


def test_data_that_sql_cannot_read_are_refused_in_one_sentence(tmp_path: Path) -> None:
    data = small_data.make(tmp_path / "d", 4, files=1)
    file = data.path / "store_sales" / "part-00000.parquet"
    pq.write_table(pq.read_table(file).drop_columns(["ss_item_sk"]), file)
    with pytest.raises(DataError, match="SQL cannot answer q1") as caught:
        oracle.expected(Catalog.open(data.path), "q1", "paper")
    assert "\n" not in str(caught.value)


ROWS = [(5, 1, 2, 9), (5, 1, 3, 9), (6, 1, 2, 1)]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ([*ROWS[:1], (5, 1, 3, 8), *ROWS[2:]], "Row 1 of q1's answer is (hour 5, item_a 1, item_b 3, n 8) but SQL"),
        ([ROWS[1], ROWS[0], ROWS[2]], "Row 0 of q1's answer"),
        (ROWS[:2], "2 rows where SQL gives 3: only SQL has row 2, (hour 6, item_a 1, item_b 2, n 1)"),
        ([*ROWS, (7, 1, 2, 1)], "4 rows where SQL gives 3: only the answer has row 3"),
    ],
)
def test_a_difference_names_its_first_row(changed: list[tuple[int, ...]], sentence: str) -> None:
    assert sentence in str(oracle.difference("q1", as_table("q1", changed), as_table("q1", ROWS)))
    assert oracle.difference("q1", as_table("q1", ROWS), as_table("q1", ROWS)) is None


def test_a_difference_in_column_names_is_told() -> None:
    table = as_table("q1", ROWS)
    renamed = table.rename_columns(["hour", "a", "b", "n"])
    assert "(hour, a, b, n) instead of (hour, item_a, item_b, n)" in str(oracle.difference("q1", renamed, table))


@pytest.mark.parametrize(
    ("got", "equal"), [(-2.0 * (1 + 9e-10), True), (-2.0 * (1 + 2e-9), False), (None, False), (float("nan"), False)]
)
def test_slopes_may_differ_by_a_billionth_and_no_more(got: float | None, equal: bool) -> None:
    expected = as_table("q15", [(1, -2.0, 5.0)])
    assert (oracle.difference("q15", as_table("q15", [(1, got, 5.0)]), expected) is None) is equal


def test_a_ratio_of_no_sessions_is_null_and_nothing_else() -> None:
    none = as_table("q4", [(0, 0, None)])
    assert oracle.difference("q4", none, none) is None
    assert oracle.difference("q4", as_table("q4", [(0, 0, 0.0)]), none) is not None
