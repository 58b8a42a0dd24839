"""What users hold their streams in is joined as its values, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streambench
from streambench.errors import DataError, OptionError
from streambench.joins.join import matching_rows
from streambench.lab.cli import main
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import TIERS, JoinCrew

WORDS = ["a", "b", "a"]


def pandas_texts() -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"ts": [1, 2, 3], "u": WORDS})


def pandas_categories() -> Any:
    frame = pandas_texts()
    return frame.assign(u=frame["u"].astype("category"))


def pandas_sorted() -> Any:
    return pandas_texts().iloc[::-1].sort_values("ts")


def polars_texts() -> Any:
    return pytest.importorskip("polars").DataFrame({"ts": [1, 2, 3], "u": WORDS})


def polars_categories() -> Any:
    polars = pytest.importorskip("polars")
    return polars_texts().with_columns(u=polars.col("u").cast(polars.Categorical))


def of_type(values: pa.Array) -> Callable[[], pa.Table]:
    return lambda: pa.table({"ts": [1, 2, 3], "u": values})


KINDS = {
    "pandas": pandas_texts,
    "pandas, categories": pandas_categories,
    "pandas, an index": pandas_sorted,
    "Polars": polars_texts,
    "Polars, categories": polars_categories,
    "views": of_type(pa.array(WORDS, pa.string_view())),
    "a value twice in a dictionary": of_type(pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(WORDS))),
    "runs": of_type(pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), pa.array(WORDS))),
    "plain": of_type(pa.array(WORDS)),
}


@pytest.mark.parametrize("right", KINDS)
@pytest.mark.parametrize("left", KINDS)
def test_texts_are_equal_whatever_holds_them(left: str, right: str) -> None:
    found = streambench.join([KINDS[left](), KINDS[left]()], KINDS[right](), window=9, equal=[("u", "u")])
    assert found.column_names == ["ts", "u", "u_right"]
    assert found.num_rows == 10
    assert found["u"].to_pylist() == found["u_right"].to_pylist()


def test_views_within_lists_and_structs_are_carried_along() -> None:
    value = pa.array([[{"s": "x"}], None], pa.list_(pa.struct([("s", pa.string_view())])))
    found = streambench.join(pa.table({"ts": [1, 2], "v": value}), {"ts": np.arange(3)}, window=0)
    assert found["v"].to_pylist() == [[{"s": "x"}], None]


def test_dictionaries_of_several_streams_need_not_be_alike_nor_small() -> None:
    def stream(prefix: str) -> pa.Table:
        words = pa.array([f"{prefix}{k}" for k in range(100)])
        keys = pa.DictionaryArray.from_arrays(pa.array(range(100), pa.int8()), words)
        return pa.table({"ts": np.arange(100), "k": keys})

    found = streambench.join([stream("a"), stream("b")], stream("b"), window=999, equal=[("k", "k")])
    assert found.num_rows == 100


def test_nulls_among_a_dictionarys_values_are_nulls() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["a", None]))
    table = pa.table({"ts": [1, 2, 3], "u": column})
    with pytest.raises(DataError, match="column u of the left side has nulls"):
        streambench.join(table, table, window=9, equal=[("u", "u")])


def test_a_side_without_rows_may_have_keys_of_no_type() -> None:
    empty = pa.table({"ts": pa.array([], pa.int64()), "k": pa.nulls(0)})
    some = {"ts": np.arange(2), "k": np.array(["a", "b"])}
    assert streambench.join(empty, some, window=9, equal=[("k", "k")]).num_rows == 0
    assert streambench.join(some, empty, window=9, equal=[("k", "k")]).num_rows == 0


def test_what_cannot_be_joined_is_refused_in_a_sentence() -> None:
    table = pa.table({"ts": [False, True], "x": [1, 2]})
    with pytest.raises(DataError, match="column ts of the left side must hold integers or times, not bool"):
        streambench.join(table, table, window=9)
    ticks = {"ts": np.arange(2)}
    with pytest.raises(OptionError, match="time is the name of a column, or one for each side, not"):
        streambench.join(ticks, ticks, window=9, time=("ts",))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="threads must be at least 1, a whole number, not '2'"):
        streambench.join(ticks, ticks, window=9, threads="2")  # type: ignore[arg-type]
    definition = Definition(np.arange(9), np.arange(9), [], 3)
    for batch in (-1, 257):
        with pytest.raises(ValueError, match="a batch has at most 256 tuples, or 0"):
            JoinCrew(definition, "simd", 1, batch)


@pytest.mark.parametrize("tier", TIERS)
def test_a_band_wider_than_float32_takes_what_is_finite(tier: str) -> None:
    left = {"ts": np.arange(4), "x": np.array([np.inf, 3e38, np.nan, 0], np.float32)}
    right = {"ts": np.arange(4), "a": np.array([np.inf, 2e38, 1, -np.inf], np.float32)}
    rows = matching_rows(left, right, window=9, bands=[("x", "a", 1e39)], tier=tier)
    assert sorted(zip(*(each.tolist() for each in rows), strict=True)) == [(1, 1), (1, 2), (3, 1), (3, 2)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([-(10**14), 0, 10**14], pa.timestamp("ms")),
        pa.array([-9 * 10**18, 0, 9 * 10**18], pa.timestamp("us")),
        pa.array([0, 1, 2], pa.timestamp("us", "Foo/Bar")),
        pa.array([-(2**31), 0, 1], pa.date32()),
        pa.array([[-(10**14)], [0], [1]], pa.list_(pa.timestamp("ms"))),
    ],
    ids=lambda column: str(column.type),
)
def test_rows_that_python_has_no_objects_for_are_shown_all_the_same(
    column: pa.Array, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pq.write_table(pa.table({"ts": [1, 2, 3], "v": column}), tmp_path / "one.parquet")
    with pytest.raises(SystemExit) as left:
        main(["join", str(tmp_path / "one.parquet"), str(tmp_path / "one.parquet"), "--window", "0"])
    assert left.value.code == 0
    assert "pairs: 3 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["twice.parquet", "one.parquet", "--window", "2"], "several columns 'ts'"),
        (["one.parquet", "one.parquet", "--window", "9" * 5000], "--window must be a whole number from 0"),
        ([".", "one.parquet", "--window", "2", "--out", "./pairs.parquet"], "is in a folder that is joined"),
    ],
    ids=["the time twice", "a long number", "output among the input"],
)
def test_the_command_refuses_in_a_sentence(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"ts": [1, 2]}), "one.parquet")
    if words[0] != ".":
        pq.write_table(pa.table([[1, 2], [1, 2]], names=["ts", "ts"]), "twice.parquet")
    with pytest.raises(SystemExit) as left:
        main(["join", *words])
    assert left.value.code != 0
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "pairs.parquet").exists()
