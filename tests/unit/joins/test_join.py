"""``streambench.join``: Arrow in, Arrow out, against DuckDB; and what it refuses."""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from join_oracle import N, by_duckdb, sides

import streambench
from streambench.errors import DataError, OptionError
from streambench.joins.join import matching_rows
from streambench.pyx.gate_source import LateTuplesWarning
from streambench.pyx.join.join_crew import TIERS

QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "two bands": ("abs(x - a) <= 10 AND abs(y - b) <= 10", {"bands": [("x", "a", 10), ("y", "b", 10)]}),
    "texts": ("left_side.user = right_side.user", {"equal": [("user", "user")]}),
    "both": (
        "left_side.user = right_side.user AND abs(x - c) <= 50",
        {"equal": [("user", "user")], "bands": [("x", "c", 50)]},
    ),
    "nothing": ("true", {}),
}


@pytest.mark.parametrize("tier", ["auto", *TIERS])
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_exact_rule_is_what_duckdb_answers(question: str, tier: str) -> None:
    left, right = sides()
    condition, how = QUESTIONS[question]
    if tier == "index" and not how:
        return
    want = by_duckdb(left, right, condition, 21)
    got = streambench.join(left, right, window=21, tier=tier, threads=2, **how)
    assert got.column_names == [*want.column_names[:-1], "user_right"]
    assert len(got) > 0
    assert [each.to_pylist() for each in got.columns] == [each.to_pylist() for each in want.columns]
    assert [field.type for field in got.schema][:5] == [
        pa.int64(),
        pa.int32(),
        pa.float32(),
        pa.binary(20),
        pa.string(),
    ]


def test_what_comes_out_does_not_depend_on_tier_or_threads() -> None:
    left, right = sides()
    for rule, window in (("three-step", 14), ("count", 40), ("exact", 0)):
        tables = [
            streambench.join(left, right, bands=[("x", "a", 9.5)], window=window, rule=rule, tier=tier, threads=threads)
            for tier, threads in itertools.product(TIERS, (1, 3))
        ]
        assert len(tables[0]) > 0
        assert all(each.equals(tables[0]) for each in tables[1:])


def test_arrays_frames_batches_and_chunks_are_taken_alike() -> None:
    left, right = sides()
    want = streambench.join(left, right, bands=[("x", "a", 5)], window=50)
    chunked = pa.concat_tables([left.slice(0, 100), left.slice(100)])
    batch = right.combine_chunks().to_batches()[0]
    assert streambench.join(chunked, batch, bands=[("x", "a", 5)], window=50).equals(want)
    arrays = (
        {"ts": left["ts"].to_numpy(), "x": left["x"].to_numpy()},
        {"ts": right["ts"].to_numpy(), "a": right["a"].to_numpy()},
    )
    got = streambench.join(*arrays, bands=[("x", "a", 5)], window=50)
    assert got.equals(want.select(["ts", "x", "a"]))
    frames = streambench.join(left.to_pandas(), right.to_pandas(), bands=[("x", "a", 5)], window=50)
    assert frames.select(["ts", "x", "a"]).equals(got)


def test_times_may_be_dates_or_timestamps_and_have_two_names() -> None:
    days = np.array(["2024-01-01", "2024-01-03", "2024-01-09"], "datetime64[D]")
    left = pa.table({"day": days, "k": [1, 2, 3]})
    right = pa.table({"when": days, "k": [4, 5, 6], "k_right": [7, 8, 9]})
    found = streambench.join(left, right, time=("day", "when"), window=2)
    assert found.to_pydict() == {
        "day": [days[0].item(), days[1].item(), days[1].item(), days[1].item(), days[2].item()],
        "k": [1, 2, 1, 2, 3],
        "k_right": [4, 4, 5, 5, 6],
        "k_right_right": [7, 7, 8, 8, 9],
    }
    assert found.schema.field("day").type == pa.date32()
    precise = [pa.table({"ts": days.astype("datetime64[us]")})] * 2
    assert streambench.join(*precise, window=0)["ts"].type == pa.timestamp("us")


def test_the_greatest_integers_are_compared_exactly() -> None:
    big = np.array([0, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    side = {"ts": np.zeros(4, np.int64), "v": big}
    left, right = matching_rows(side, side, bands=[("v", "v", 1)], window=0, tier="codes")
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 3)]
    left, right = matching_rows(side, side, equal=[("v", "v")], window=0, tier="index")
    assert left.tolist() == right.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("tier", ["auto", *TIERS])
def test_a_predicate_of_ones_own_is_asked_besides(tier: str, probes: SimpleNamespace) -> None:
    random = np.random.default_rng(5)
    left = {
        "ts": np.arange(300),
        "x": random.integers(0, 50, 300),
        "width": random.uniform(0, 9, 300).astype(np.float32),
    }
    right = {"ts": np.arange(300), "a": random.integers(0, 50, 300)}
    pairs = [(a, b) for a in range(300) for b in range(300) if abs(a - b) <= 30]
    differences = {(a, b): int(left["x"][a]) - int(right["a"][b]) for a, b in pairs}
    odd = {pair for pair, each in differences.items() if each % 2 and abs(each) < left["width"][pair[0]]}
    near = {pair for pair in odd if abs(differences[pair]) <= 3}
    if tier != "index":
        rows = matching_rows(left, right, predicate=probes.NearAndOdd(), window=30, tier=tier, threads=2)
        assert set(zip(rows[0].tolist(), rows[1].tolist(), strict=True)) == odd
    rows = matching_rows(
        left, right, predicate=probes.NearAndOdd(), bands=[("x", "a", 3)], window=30, tier=tier, threads=2
    )
    assert set(zip(rows[0].tolist(), rows[1].tolist(), strict=True)) == near
    assert 0 < len(near) < len(odd)


@pytest.mark.parametrize("join", [streambench.join, streambench.ArrowJoinSource])
@pytest.mark.parametrize(
    ("left", "right", "error", "message"),
    [
        (("x",), (), DataError, "column x of the left side holds int32, but predicate Declares declares it as int64"),
        ((), ("z", "a"), DataError, "column a of the right side holds int16, but .* declares it as int64"),
        ((("x", "int32"), ("y", "float64")), (), DataError, "column y of the left side holds float32, .* as float64"),
        (("user",), (), DataError, "column user of the left side holds string, which .* cannot read, .* int64"),
        (("q",), (), DataError, "the left side has no column 'q'"),
        ((("x", "int33"),), (), OptionError, "predicate Declares declares .*there is no type 'int33'"),
        ((("x", "int32", 1),), (), OptionError, r"declares \('x', 'int32', 1\): a column is a name, or \(name, type\)"),
        ((5,), (), OptionError, r"declares 5: a column is a name, or \(name, type\)"),
    ],
)
def test_a_predicate_gets_columns_of_the_types_it_declares_or_none(
    join: Any, left: Any, right: Any, error: type[Exception], message: str, probes: SimpleNamespace
) -> None:
    tables = sides()
    tables = tables[0], tables[1].append_column("z", pa.array(range(N)))
    with pytest.raises(error, match=message) as refused:
        join(*tables, window=1, predicate=probes.Declares(left, right))
    assert str(refused.value).endswith(".")
    declared = probes.Declares(("ts", ("x", "int32"), ("y", "float32")), (("a", "int16"), "z"))
    join(*tables, window=1, predicate=declared)


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"bands": [("q", "a", 1)]}, DataError, "the left side has no column 'q'; it has ts, x, y, z, user"),
        ({"bands": [("x", "user", 1)]}, DataError, "column user holds string"),
        ({"bands": [("x", "a", -1)]}, OptionError, "must be a number from 0 on, not -1"),
        ({"bands": [("x", "a", float("nan"))]}, OptionError, "must be a number from 0 on, not nan"),
        ({"bands": [("y", "b", 1e301)]}, OptionError, "at most 1e"),
        ({"bands": [("x", "a", 2**63)]}, OptionError, "below 2"),
        ({"bands": [("x", "a")]}, OptionError, r"a band is \(left column, right column, width\)"),
        ({"bands": [("x", "a", 1)] * 17}, OptionError, "at most 16 are possible"),
        ({"equal": ["xa"]}, OptionError, "an equality is"),
        ({"equal": [("y", "b")]}, DataError, "take a band, of width 0"),
        ({"equal": [("user", "a")]}, DataError, "user and a hold string and int16"),
        ({"window": -1}, OptionError, "window must be a whole number"),
        ({"window": 1.5}, OptionError, "window must be a whole number"),
        ({"rule": "two-step"}, OptionError, "there is no rule 'two-step': choose from exact, three-step, count"),
        ({"tier": "gpu"}, OptionError, "there is no tier 'gpu'"),
        ({"tier": "index"}, OptionError, "an index needs a band or an equality"),
        ({"threads": 0}, OptionError, "threads must be at least 1, a whole number, not 0"),
        ({"predicate": lambda left, right: True}, OptionError, "predicate must be a Predicate, .* not <function"),
        ({"time": 5}, OptionError, "time is the name of a column, or one for each side, not 5"),
        ({"time": ("ts", 5)}, OptionError, r"or one for each side, not \('ts', 5\)"),
        ({"time": "user"}, DataError, "must hold integers or times, not string"),
        ({"time": "when"}, DataError, "no column 'when'"),
        ({"time": ("x", "ts")}, DataError, "x of the left side must never decrease"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as refused:
        streambench.join(*sides(), **{"window": 1, **how})
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


def test_data_that_do_not_fit_are_refused_in_one_sentence() -> None:
    left, right = sides()
    nulls = left.set_column(1, "x", pa.array([None] * N, pa.int32()))
    with pytest.raises(DataError, match="column x of the left side has nulls"):
        streambench.join(nulls, right, bands=[("x", "a", 1)], window=1)
    big = {"ts": [0], "v": np.array([2**63], np.uint64)}
    with pytest.raises(DataError, match=r"holds 9223372036854775808, which does not fit into int64\."):
        streambench.join(big, {"ts": [0], "v": [1]}, equal=[("v", "v")], window=1)
    with pytest.raises(DataError, match="the right side cannot be read as a table"):
        streambench.join(left, 5, window=1)
    with pytest.raises(DataError, match=r"the right side has no column 'ts'; it has no columns\."):
        streambench.join(left, pa.table({}), window=1)
    with pytest.raises(DataError, match="the sides' times are int64 and timestamp"):
        streambench.join(left, {"ts": np.array([0], "datetime64[s]")}, window=1)


MOMENTS = np.array([0, 300_000, 300_001, 900_000], "datetime64[ms]")
SPANS = [300_000, "5min", "300s", np.timedelta64(5, "m"), datetime.timedelta(minutes=5)]


@pytest.mark.parametrize("span", SPANS, ids=repr)
@pytest.mark.parametrize("join", [streambench.join, matching_rows, streambench.ArrowJoinSource])
def test_a_span_of_time_is_read_in_the_columns_unit(join: Any, span: Any) -> None:
    left, right = {"ts": MOMENTS[:1]}, {"ts": MOMENTS, "seen": MOMENTS, "k": np.arange(4)}
    if join is not streambench.join:
        join(left, right, window=span, slack=span)
        return
    assert join(left, right, window=span)["k"].to_pylist() == [0, 1]
    left["when"] = MOMENTS[:1]
    assert join(left, right, window="1d", bands=[("when", "seen", span)])["k"].to_pylist() == [0, 1]
    late = {"ts": MOMENTS[[1, 0]], "k": np.arange(2)}
    assert len(join(late, right, window=0, slack=span)) == 2
    with pytest.warns(LateTuplesWarning, match="1 of the left side; slack is 299999ms, a larger one"):
        assert len(join(late, right, window=0, slack="299999ms")) == 1


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"window": "1500us"}, "window is 1500us, which is no whole number of ms, the unit of the column."),
        ({"window": np.timedelta64(1, "ns")}, "window is 1 nanoseconds, which is no whole number of ms, the unit of "),
        ({"window": 1, "slack": "1us"}, "slack is 1us, which is no whole number of ms, the unit of the column."),
        (
            {"window": 1, "bands": [("ts", "ts", datetime.timedelta(microseconds=1))]},
            "the width of the band over ts and ts is 0:00:00.000001, which is no whole number of ms, the unit of the ",
        ),
        ({"window": 1, "bands": [("k", "k", "5min")]}, "the width of the band over k and k is 5min, but the column"),
        ({"window": "5min", "rule": "count"}, "window is 5min, but the rule count counts tuples: give a number "),
        ({"window": True}, "window must be a whole number from 0 to"),
    ],
)
def test_a_span_that_does_not_fit_its_column_is_refused(how: dict[str, Any], message: str) -> None:
    side = {"ts": MOMENTS, "k": np.arange(4)}
    with pytest.raises(OptionError) as refused:
        streambench.join(side, side, **how)
    assert str(refused.value).startswith(message)


VALUES = {
    "text": pa.array(["2.00", "a"]),
    "long text": pa.array(["a", "2.00"], pa.large_string()),
    "codes": pa.array(["2.00", "b"]).dictionary_encode(),
    "bytes": pa.array([b"2.00", b"a"]),
    "fixed bytes": pa.array([b"aaaa", b"2.00"], pa.binary(4)),
    "decimal": pa.array([Decimal("2.00"), Decimal("3.00")]),
    "wide decimal": pa.array([Decimal("3.0000"), Decimal("2.0000")], pa.decimal256(50, 4)),
    "integer": pa.array([2, 3]),
    "bool": pa.array([True, False]),
    "float": pa.array([2.0, 3.0]),
    "date": pa.array([2, 3], pa.date32()),
    "timestamp": pa.array([2, 3], pa.timestamp("s")),
}
KINDS = ({"text", "long text", "codes"}, {"bytes", "fixed bytes"}, {"decimal", "wide decimal"}, {"integer", "bool"})


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(VALUES, 2)))
def test_equality_of_two_types_does_not_depend_on_the_side(one: str, other: str) -> None:
    tables = [pa.table({"ts": [0, 0], "v": VALUES[each]}) for each in (one, other)]
    for left, right in (tables, tables[::-1]):
        if any({one, other} <= kind for kind in KINDS):
            equal = {row["v"] for row in left.to_pylist()} & {row["v"] for row in right.to_pylist()}
            found = streambench.join(left, right, window=0, equal=[("v", "v")])
            assert set(found["v"].to_pylist()) == set(found["v_right"].to_pylist()) == equal
            assert len(found) == len(equal)
            continue
        with pytest.raises(DataError, match=r"v (and v hold|holds) "):
            streambench.join(left, right, window=0, equal=[("v", "v")])


def test_decimals_are_equal_whatever_their_scales() -> None:
    left = pa.table({"ts": [1, 2], "u": pa.array([Decimal("1.50"), Decimal("1.25")], pa.decimal128(9, 2))})
    right = pa.table({"ts": [3, 4], "v": pa.array([Decimal("1.5"), Decimal("7.0")], pa.decimal128(38, 1))})
    assert [each.tolist() for each in matching_rows(left, right, window=9, equal=[("u", "v")])] == [[0], [0]]
