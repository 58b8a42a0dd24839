"""Options of windows: keys of any type, slack, empty windows, the end of the stream, and what is refused."""

from __future__ import annotations

import datetime
import math
import random
import warnings
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import streambench
from streambench import OperatorError, OptionError, Pipeline, TableSink, TableSource
from streambench.pyx.join.gate_source import LateTuplesWarning

ENGINES: list[dict[str, Any]] = [{"engine": "serial"}, {"workers": 2, "partitions": 3, "plan": "sharded", "pin": False}]


def run(columns: dict[str, Any], made: Any, how: dict[str, Any]) -> list[tuple[Any, ...]]:
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), made, TableSink()])
    pipeline.run(**how)
    return list(zip(*(column.tolist() for column in pipeline.sink.rows()), strict=True))


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize("tuples", [0, 1, 5000])
def test_tumbling_sums_equal_duckdb(how: dict[str, Any], tuples: int) -> None:
    draw = np.random.default_rng(5)
    table = pa.table(
        {
            "ts": np.sort(draw.integers(-1000, 1000, tuples)),
            "k": draw.integers(-20, 20, tuples),
            "v": draw.integers(-9, 9, tuples),
        }
    )
    made = streambench.window({"n": "count", "total": ("sum", "v")}, size=7, by="k")
    pipeline = Pipeline([table, made, TableSink()])
    pipeline.run(**how, unit=97)
    wanted = duckdb.from_arrow(table).query(
        "given",
        "select floor(ts / 7)::int8 * 7 as b, b + 7, k, count(*), sum(v)::int8 from given group by all order by 2, 3",
    )
    rows = zip(*(column.tolist() for column in pipeline.sink.rows()), strict=True)
    assert list(rows) == wanted.fetchall()


def key_columns() -> dict[str, Any]:
    draw = random.Random(3)
    n = 400
    return {
        "ts": np.arange(n) // 3,
        "small": np.array([draw.randint(-3, 3) for _ in range(n)], np.int8),
        "real": np.array([draw.choice((-0.5, 0.25, math.inf, -math.inf, 1e300)) for _ in range(n)]),
        "single": np.array([draw.choice((-1.5, 2.5)) for _ in range(n)], np.float32),
        "large": np.array([draw.choice((1, 2**63, 2**64 - 1)) for _ in range(n)], np.uint64),
        "bytes": np.array([draw.choice((b"a" * 11, b"b" + b"\xff" * 10, b"\x00" * 11)) for _ in range(n)], "V11"),
        "flag": np.array([draw.random() < 0.5 for _ in range(n)]),
    }


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize(
    "by", [["small"], ["real"], ["bytes"], ["large", "flag"], ["single", "bytes", "small", "real"]]
)
def test_keys_of_any_type_come_back_in_order(by: list[str], how: dict[str, Any]) -> None:
    columns = key_columns()
    got = run(columns, streambench.window({"n": "count"}, size=50, by=by), {**how, "unit": 31})
    counted: dict[tuple[Any, ...], int] = {}
    for ts, *key in zip(*(columns[each].tolist() for each in ("ts", *by)), strict=True):
        counted[(ts // 50 + 1) * 50, *key] = counted.get(((ts // 50 + 1) * 50, *key), 0) + 1
    assert [(end, *key, n) for _, end, *key, n in got] == [(*each, counted[each]) for each in sorted(counted)]


@pytest.mark.parametrize("how", ENGINES, ids=str)
def test_slack_gives_the_windows_of_the_ordered_stream(how: dict[str, Any]) -> None:
    draw = random.Random(9)
    times = [k + draw.randint(-6, 6) for k in range(2000)]
    late, highest, kept = 0, -100, []
    for number, ts in enumerate(times):
        if ts < highest - 8:
            late += 1
            continue
        kept.append((ts, number))
        highest = max(highest, ts)
    kept.sort()
    aggregates: dict[str, Any] = {"n": "count", "first": ("first", "v"), "last": ("last", "v"), "total": ("sum", "v")}
    made = streambench.window(aggregates, size=10, step=5, by="k", slack=8)
    columns = {"ts": np.array(times), "k": np.arange(2000) % 5, "v": np.arange(2000)}
    numbers = np.array([number for _, number in kept])
    ordered = {"ts": np.array([ts for ts, _ in kept]), "k": numbers % 5, "v": numbers}
    got = run(columns, made, {**how, "unit": 13})
    assert got == run(ordered, streambench.window(aggregates, size=10, step=5, by="k"), {"engine": "serial"})
    assert made.late == late > 0


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize("by", [(), "k"])
def test_a_time_that_goes_back_is_refused_behind_all_before(by: Any, how: dict[str, Any]) -> None:
    columns = {"ts": np.array([1, 2, 9, 30, 29, 90]), "k": np.arange(6)}
    sink = TableSink()
    pipeline = Pipeline(
        [TableSource(list(columns.values()), list(columns)), streambench.window({"n": "count"}, size=10, by=by), sink]
    )
    with pytest.raises(OperatorError, match=r"operator window failed at its tuple with serial number 4.*say by slack="):
        pipeline.run(**how, unit=2)
    assert [column.tolist() for column in sink.rows()][:2] == ([[0] * 3, [10] * 3] if by else [[0], [10]])


@pytest.mark.parametrize("ts", [2**62 + 1, -(2**62) - 1])
@pytest.mark.parametrize("slack", [0, 5])
def test_a_time_whose_windows_have_no_bounds_is_refused(ts: int, slack: int) -> None:
    with pytest.raises(OperatorError, match=r"beyond 2\*\*62"):
        run({"ts": np.array([ts])}, streambench.window({"n": "count"}, size=10, slack=slack), {"engine": "serial"})


@pytest.mark.parametrize("ts", [2**62, -(2**62)])
def test_the_last_times_that_are_allowed_have_windows(ts: int) -> None:
    size = 2**61
    for options in ({"size": size}, {"size": size, "step": size // 3}, {"gap": size}):
        for start, end, n in run({"ts": np.array([ts])}, streambench.window({"n": "count"}, **options), {}):
            assert start <= ts < end <= start + size
            assert n == 1


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize("unit", [1, 1000])
def test_empty_windows_are_filled_in_between(how: dict[str, Any], unit: int) -> None:
    made = streambench.window(
        {"n": "count", "total": ("sum", "v"), "low": ("min", "v"), "mean": ("mean", "v"), "d": ("distinct", "v"),
         "real": ("max", "w")},
        size=10, step=5, fill=True, nulls={"v": -9},
    )  # fmt: skip
    columns = {"ts": np.array([3, 500_003]), "v": np.array([5, -9]), "w": np.array([math.nan, 2.0])}
    got = run(columns, made, {**how, "unit": unit})
    assert [row[0] for row in got] == list(range(-5, 500_001, 5))
    assert got[1] == pytest.approx((0, 10, 1, 5, 5, 5.0, 1, math.nan), nan_ok=True)
    assert got[2] == pytest.approx((5, 15, 0, 0, -9, math.nan, 0, math.nan), nan_ok=True)
    assert got[-1] == pytest.approx((500_000, 500_010, 1, 0, -9, math.nan, 0, 2.0), nan_ok=True)


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize("unit", [1, 1000])
def test_no_empty_window_is_filled_in_before_the_first_and_behind_the_last(how: dict[str, Any], unit: int) -> None:
    made = streambench.window({"n": "count"}, size=5, step=10, fill=True)
    columns = {"ts": np.array([7, 8, 32, 37, 39, 60, 61, 88, 107])}
    got = run(columns, made, {**how, "unit": unit})
    assert got == [(30, 35, 1), (40, 45, 0), (50, 55, 0), (60, 65, 2)]


@pytest.mark.parametrize("slack", [0, 5])
def test_a_time_that_is_null_is_refused(slack: int) -> None:
    for type in (pa.int64(), pa.timestamp("s"), pa.uint32()):
        table = pa.table({"ts": pa.array([None, 5, 9], type)})
        with pytest.raises(OperatorError, match="its time is null: leave out rows without a time"):
            streambench.windowed(table, {"n": "count"}, size=10, nulls={"ts": 3}, slack=slack)


def test_bounds_within_a_day_of_dates_are_times() -> None:
    table = pa.table({"ts": pa.array([datetime.date(2024, 2, 28), datetime.date(2024, 2, 29)], pa.date64())})
    whole = streambench.windowed(table, {"n": "count"}, size="1d")
    assert whole.column("start").type == pa.date64()
    half = streambench.windowed(table, {"n": "count"}, size="12h")
    assert half.column("end").to_pylist() == [datetime.datetime(2024, 2, day, 12) for day in (28, 29)]


def test_sums_of_integers_wrap_and_those_of_none_are_zero() -> None:
    columns = {"ts": np.array([1, 2, 3]), "v": np.array([2**63 - 1, 2, -7])}
    made = streambench.window({"total": ("sum", "v"), "n": ("count", "v")}, size=10, nulls={"v": -7})
    assert run(columns, made, {}) == [(0, 10, -(2**63) + 1, 2)]
    none = streambench.window({"total": ("sum", "v"), "n": ("count", "v"), "m": ("max", "v")}, size=10, nulls={"v": -7})
    assert run({"ts": np.array([1]), "v": np.array([-7])}, none, {}) == [(0, 10, 0, 0, -7)]


def test_a_table_has_its_times_texts_and_nulls_again() -> None:
    day = datetime.date(2024, 2, 28)
    table = pa.table(
        {
            "day": pa.array([day, day, day + datetime.timedelta(2), day + datetime.timedelta(800)]),
            "land": pa.array(["de", "fr", "de", None]),
            "paid": pa.array([1.5, None, 2.5, None]),
            "item": pa.array(["x", "y", "z", "x"]),
        }
    )
    found = streambench.windowed(
        table, {"n": "count", "paid": ("mean", "paid"), "item": ("last", "item")}, time="day", size="7d", by="land",
        nulls={"paid": math.nan},
    )  # fmt: skip
    assert found.column("start").type == pa.date32()
    start = datetime.date(2024, 2, 22)
    end = datetime.date(2024, 2, 29)
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        (start, end, "de", 1, 1.5, "x"),
        (start, end, "fr", 1, None, "y"),
        (end, datetime.date(2024, 3, 7), "de", 1, 2.5, "z"),
        (datetime.date(2026, 5, 7), datetime.date(2026, 5, 14), None, 1, None, "x"),
    ]


def test_a_table_out_of_order_warns_of_late_tuples() -> None:
    table = pa.table({"ts": [5, 3, 9, 1, 20]})
    with pytest.warns(LateTuplesWarning, match="late tuples were left out: 1; slack is 2"):
        found = streambench.windowed(table, {"n": "count"}, size=10, slack=2)
    assert found.to_pydict() == {"start": [0, 20], "end": [10, 30], "n": [3, 1]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert streambench.windowed(table, {"n": "count"}, size=10, slack="20").num_rows == 2


def test_windows_that_are_open_are_kept_without_flush() -> None:
    columns = {"ts": np.array([1, 2, 30]), "k": np.array([1, 2, 1])}
    for options in ({"size": 10}, {"gap": 5}, {"size": 10, "step": 5}):
        got = run(columns, streambench.window({"n": "count"}, by="k", flush=False, **options), {})
        assert max(end for _, end, *_ in got) <= 30
    assert run(columns, streambench.window({"n": "count"}, rows=3, flush=False), {}) == [(0, 3, 3)]


def test_windows_stand_behind_other_operators_and_in_front() -> None:
    @streambench.mapped(emits=("ts", "double"), numba=False)
    def doubled(ts: int, v: int) -> tuple[int, int] | None:
        return (ts, 2 * v) if v != 3 else None

    @streambench.mapped(emits="total", numba=False)
    def totals(total: int) -> int:
        return total

    columns = [np.arange(10), np.arange(10)]
    made = streambench.window({"total": ("sum", "double")}, size=5)
    pipeline = Pipeline([TableSource(columns, ("ts", "v")), doubled, made, totals, TableSink()])
    pipeline.run(workers=2)
    assert [column.tolist() for column in pipeline.sink.rows()] == [[14, 70]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs one of size="),
        ({"size": 5, "gap": 5}, "needs one of size="),
        ({"gap": 5, "step": 5}, "no step="),
        ({"size": 0}, "size of a window must be from 1 to"),
        ({"size": -1}, "must be a whole number from 0"),
        ({"size": 2.5}, "must be a whole number from 0"),
        ({"size": "5min"}, "the column counts in no unit of time"),
        ({"size": 5, "fill": True, "by": "k"}, "a key has no last window"),
        ({"gap": 5, "fill": True}, "a key has no last window"),
        ({"size": 5, "by": "user"}, "reads a column user, but TableSource before it emits ts, k, v"),
        ({"size": 5, "time": "when"}, "reads a column when"),
        ({"size": 5, "time": "v"}, "operator window wants column v as int64 or"),
        ({"size": 5, "by": "v", "aggregates": {"v": "count"}}, "two columns v"),
        ({"size": 5, "aggregates": {}}, "needs aggregates"),
        ({"size": 5, "aggregates": {"n": "sum"}}, "aggregate n must be 'count' or a tuple"),
        ({"size": 5, "aggregates": {"n": ("median", "v")}}, "aggregate n must be 'count' or a tuple"),
        ({"size": 5, "aggregates": {"n": ("sum", "v", 3)}}, "takes no parameter"),
        ({"size": 5, "aggregates": {"n": ("quantile", "v", 2)}}, "needs a share from 0 to 1"),
        ({"size": 5, "aggregates": {"n": ("distinct", "v", 1)}}, "takes an error from 0.005 to 0.25"),
        ({"size": 5, "aggregates": {"n": ("top_k", "v", 3, 0)}}, "takes an error from 1e-06 to 0.1"),
        ({"size": 5, "aggregates": {"n": ("sum", "v", 3, 3)}}, "one parameter at most"),
        ({"size": 5, "aggregates": {"n": ("top_k", "v", 0)}}, "a number of values from 1 to 24"),
        ({"size": 5, "aggregates": {"n": ("sum", "b")}}, "aggregates column b as one of int64"),
        ({"size": 5, "nulls": {"k": 1}}, "nulls= names column k, which no aggregate reads"),
        ({"size": 5, "nulls": {"k": 2**70}, "aggregates": {"n": ("sum", "k")}}, "name a value it can hold"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_does_not_fit_is_refused_in_a_sentence(options: dict[str, Any], words: str) -> None:
    given = {"ts": np.arange(3), "k": np.arange(3), "v": np.arange(3.0), "b": np.array([b"abc"] * 3, "V3")}
    aggregates = options.pop("aggregates", {"n": "count"}) if options else {"n": "count"}
    with pytest.raises(OptionError) as problem:
        run(given, streambench.window(aggregates, **options), {})
    assert words in str(problem.value)
    assert str(problem.value).endswith(".")


@pytest.mark.parametrize("function", ["sum", "mean", "var", "min", "max"])
def test_texts_have_no_sum_and_no_order(function: str) -> None:
    table = pa.table({"ts": [1, 2], "country": ["DE", "FR"]})
    with pytest.raises(OptionError, match=f"column country holds texts, of which there is no {function}"):
        streambench.windowed(table, {"made": (function, "country")}, size=10)


def test_texts_are_counted_and_taken_as_they_come() -> None:
    table = pa.table({"ts": [1, 2, 3], "country": ["FR", "DE", "DE"]})
    aggregates = {"n": ("distinct", "country"), "first": ("first", "country"), "top": ("top_k", "country", 1)}
    (row,) = streambench.windowed(table, aggregates, size=10).to_pylist()
    assert row == {"start": 0, "end": 10, "n": 2, "first": "FR", "top_1": "DE", "top_1_count": 2}
