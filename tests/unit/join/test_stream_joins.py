"""A join whose sides are streams gives the naive join's pairs, whatever they come from, and holds little of them."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from drawn_joins import ENGINES, RULES, problems, through
from hypothesis import given
from hypothesis import strategies as st
from naive_join import ROWS, Stream, naive_join
from sanitized import examples

from streambench.data.arrow_source import ArrowSource
from streambench.errors import DataError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.gate_source import GateSource
from streambench.pyx.join.stream_join_source import StreamJoinSource
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource

NAMES = ("ts", "key", "row")
TYPES = ("uint32", "int32", "int64")


def arrays(side: Stream) -> list[Any]:
    columns = (side.ts, *side.columns, np.arange(len(side.ts)))
    return [np.array(each, type) for each, type in zip(columns, TYPES, strict=True)]


def batches(columns: list[Any], size: int) -> Iterator[list[Any]]:
    for k in range(0, len(columns[0]), size):
        yield [each[k : k + size] for each in columns]


def source_of(kind: str, side: Stream, size: int = 7) -> Any:
    columns = arrays(side)
    if kind == "table":
        return TableSource(columns, NAMES)
    if kind == "batches":
        return BatchSource(batches(columns, size), NAMES, types=TYPES)
    half = len(columns[0]) // 2  # of two physical streams, one after the other
    return GateSource(
        [TableSource([each[:half] for each in columns], NAMES), TableSource([each[half:] for each in columns], NAMES)]
    )


def rows_of(source: Any, **options: Any) -> ROWS:
    columns = through(source, **options).rows()
    left, right = source.columns.index("row"), source.columns.index("row_right")
    return list(zip(columns[left].tolist(), columns[right].tolist(), strict=True)) if columns else []


@examples(60)
@given(
    problem=problems(),
    kinds=st.tuples(*[st.sampled_from(["table", "batches", "gate"])] * 2),
    tier=st.sampled_from(["simd", "codes"]),
    unit=st.sampled_from([1, 16, 1024]),
    options=st.sampled_from(ENGINES),
)
def test_any_small_join_is_the_naive_one(
    problem: Any, kinds: tuple[str, str], tier: str, unit: int, options: dict[str, Any]
) -> None:
    left, right, (width,), window, rule = problem
    how = {"equal": [("key", "key")]} if width is None else {"bands": [("key", "key", width)]}
    sides = [source_of(kind, side) for kind, side in zip(kinds, (left, right), strict=True)]
    source = StreamJoinSource(*sides, window, rule=rule, tier=tier, capacity=40, **how)
    assert rows_of(source, **options, unit=unit) == naive_join(*problem)


def long_streams(left: int, right: int) -> tuple[Stream, Stream]:
    """One tuple a second on either side, keys from 0 to 9."""
    random = np.random.default_rng(left + right)
    return tuple(Stream(np.arange(n), (random.integers(0, 10, n),)) for n in (left, right))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("left", "right", "rule"),
    [*((6000, 6000, rule) for rule in RULES), (6000, 50, "exact"), (20, 6000, "three-step"), (6000, 50, "count")],
)
def test_rows_are_found_however_often_they_have_moved(left: int, right: int, rule: str) -> None:
    """Where one side has ended, too, what the other one's windows have left is forgotten."""
    sides = long_streams(left, right)
    source = StreamJoinSource(
        source_of("batches", sides[0], 500), source_of("table", sides[1]), 12, [("key", "key")], rule=rule, capacity=13
    )
    wanted = naive_join(*sides, [None], 12, rule)
    assert len(wanted) > 20
    assert rows_of(source, engine="ordered", workers=2, unit=64) == wanted


@pytest.mark.parametrize("engine", ["serial", "ordered"])
def test_a_side_that_has_nothing_just_now_is_waited_for(probes: SimpleNamespace, engine: str) -> None:
    sides = probes.Quiet(200, 3, 1_000_000), probes.Quiet(60, 1, 1_000_000)
    sink = through(StreamJoinSource(*sides, 1, [("value", "value")], time="key", capacity=5), engine=engine)
    assert [each.tolist() for each in sink.rows()] == [list(range(60))] * 3


def test_columns_have_the_sides_types_and_names(probes: SimpleNamespace) -> None:
    left, right = long_streams(300, 300)
    value = np.arange(300) / 4
    a = TableSource([*arrays(left), value.astype(np.float32)], (*NAMES, "v"))
    b = TableSource([*arrays(right), value], ("when", "key", "row", "v"))
    source = StreamJoinSource(a, b, 9, [("key", "key")], time=("ts", "when"), capacity=10)
    assert source.columns == ("ts", "key", "row", "v", "key_right", "row_right", "v_right")
    found = dict(zip(source.columns, through(source).rows(), strict=True))
    assert [each.dtype.name for each in found.values()] == [
        "int64", "int32", "int64", "float32", "int32", "int64", "float64",
    ]  # fmt: skip
    assert found["v"].tolist() == (found["row"] / 4).tolist()
    assert found["v_right"].tolist() == (found["row_right"] / 4).tolist()
    assert found["ts"].tolist() == np.maximum(found["row"], found["row_right"]).tolist()
    pipeline = Pipeline([source, probes.Copies({"ts": "int64"}), probes.Times("ts"), TableSink()])
    execute(pipeline, Options(engine="ordered", workers=2, unit=16, pin=False))
    times = dict(zip(pipeline.operators[-2].emitted, pipeline.sink.rows(), strict=True))
    assert np.all((times["first"] <= times["ts"]) & (times["ts"] <= times["last"]))
    assert np.any(times["first"] < times["ts"])


def test_bands_over_floats_and_a_predicate_are_asked_too(probes: SimpleNamespace) -> None:
    random = np.random.default_rng(5)
    n = 2000
    x, a = random.integers(0, 50, n), random.integers(0, 50, n)
    y, b = (random.uniform(0, 9, n).astype(np.float32) for _ in range(2))
    width = random.uniform(0, 9, n).astype(np.float32)
    left = TableSource([np.arange(n), x, y, width, np.arange(n)], ("ts", "x", "y", "width", "row"))
    right = TableSource([np.arange(n), a, b, np.arange(n)], ("ts", "a", "b", "row"))
    source = StreamJoinSource(left, right, 30, bands=[("y", "b", 1.5)], predicate=probes.NearAndOdd(), capacity=40)
    pairs = naive_join(Stream(np.arange(n), (y,)), Stream(np.arange(n), (b,)), [1.5], 30, "exact")
    difference = {pair: abs(int(x[pair[0]]) - int(a[pair[1]])) for pair in pairs}
    wanted = [pair for pair in pairs if difference[pair] % 2 and difference[pair] < width[pair[0]]]
    assert 20 < len(wanted) < len(pairs)
    assert rows_of(source, engine="ordered", workers=2) == wanted


def test_a_further_run_begins_anew() -> None:
    sides = long_streams(3000, 3000)
    source = StreamJoinSource(*(source_of("table", each) for each in sides), 30, [("key", "key")], capacity=40)
    first = rows_of(source)
    assert rows_of(source, engine="ordered", workers=2, unit=16) == first == naive_join(*sides, [None], 30, "exact")


@pytest.mark.parametrize(("left", "right", "side"), [(3000, 3000, "left"), (5000, 0, "left")])
def test_a_window_that_outgrows_its_room_is_told_behind_the_pairs_so_far(left: int, right: int, side: str) -> None:
    sides = long_streams(left, right)
    sides[0].ts[:1000] *= 2  # apart from each other, at first
    sides[0].ts[1000:] += 1000
    sides[1].ts[:] = np.arange(right) * 2
    source = StreamJoinSource(*(source_of("table", each) for each in sides), 30, [("key", "key")], capacity=20)
    pipeline = Pipeline([source, TableSink()])
    told = f"^more than 20 tuples of the join's {side} side are in one window: give capacity= more"
    with pytest.raises(DataError, match=told):
        execute(pipeline, Options(engine="ordered", workers=2, unit=16, pin=False))
    wanted = naive_join(*sides, [None], 30, "exact")
    assert right == 0 or 100 < pipeline.sink.tuples < len(wanted)
    columns = pipeline.sink.rows() or [np.array([], np.int64)] * len(source.columns)
    rows = [columns[source.columns.index(name)].tolist() for name in ("row", "row_right")]
    assert list(zip(*rows, strict=True)) == wanted[: len(rows[0])]


def test_a_window_is_told_of_short_streams_too() -> None:
    sides = long_streams(200, 200)
    for capacity, fits in ((31, True), (30, False)):
        source = StreamJoinSource(
            *(source_of("table", each) for each in sides), 30, [("key", "key")], tier="simd", capacity=capacity
        )
        if fits:
            assert rows_of(source) == naive_join(*sides, [None], 30, "exact")
            continue
        with pytest.raises(DataError, match=r"more than 30 tuples of the join's (left|right) side are in one window"):
            through(source)


def test_a_side_that_is_out_of_order_or_cannot_be_read_is_told() -> None:
    def failing() -> Iterator[list[Any]]:
        yield [np.array([1, 2])] * 2
        raise ValueError("no such tuple")

    good = [TableSource([np.array([1, 2])] * 2, ("ts", "key")) for _ in range(2)]
    with pytest.raises(DataError, match="the right side of the join cannot be read: ValueError: no such tuple"):
        through(StreamJoinSource(good[0], BatchSource(failing(), ("ts", "key")), 5, [("key", "key")]))
    disordered = TableSource([np.array([5, 4]), np.array([1, 2])], ("ts", "key"))
    with pytest.raises(DataError, match="the time of the join's left side must never decrease, but 4 follows 5: sort"):
        through(StreamJoinSource(disordered, good[1], 5, [("key", "key")]))


def test_what_does_not_fit_is_refused(probes: SimpleNamespace) -> None:
    def side(**columns: Any) -> TableSource:
        return TableSource(list(columns.values()), tuple(columns))

    two = np.array([1, 2])
    left, right = side(ts=two, k=two, f=two / 2), side(ts=two, k=two, f=(two / 2).astype(np.float32))
    texts = ArrowSource(pa.table({"ts": two, "k": ["a", "b"]}))
    for how, message in [
        ({"equal": [("q", "k")]}, "the left side has no column q; it has ts, k, f"),
        ({"equal": [("f", "k")]}, "column f of the left side holds float64: equality is asked of"),
        ({"bands": [("f", "f", 1)]}, r"a band over f \(float64\) and f \(float32\) cannot be asked: cast one of them"),
        ({"bands": [("k", "k", -1)]}, "the width of the band over k and k must be from 0 on"),
        ({"tier": "index"}, "tier must be simd or codes where streams are joined, not 'index'"),
        ({"time": "f"}, "column f of the left side holds float64: its time is"),
        ({"rule": "two-step"}, "there is no rule 'two-step'"),
        ({"capacity": 0}, "capacity must be a whole number from 1 to 1099511627776, not 0"),
        ({"capacity": 2**62}, "capacity must be a whole number from 1 to"),
        ({"window": 2**63}, "window must be a whole number from 0 to"),
        ({"window": 1.5}, "window must be a whole number from 0 to .*, not 1.5"),
        ({"time": ("ts",)}, r"time is the name of a column, or one for each side, not \('ts',\)"),
        ({"equal": ["k"]}, r"an equality is \(left column, right column\), not 'k'"),
        ({"bands": [("k", "k")]}, r"a band is \(left column, right column, width\), not \('k', 'k'\)"),
        ({"bands": [("k", "k", "5")]}, "the width of the band over k and k must be from 0 on, .* not '5'"),
        ({"time": 5}, "time is the name of a column, or one for each side, not 5"),
        ({"time": ("ts", 5)}, r"or one for each side, not \('ts', 5\)"),
        ({"predicate": probes.NearAndOdd()}, "the left side has no column x; it has ts, k, f"),
        ({"predicate": probes.Declares(("k", ("k", "text")))}, "declares .* there is no type 'text'"),
    ]:
        with pytest.raises(ValueError, match=message):
            StreamJoinSource(left, right, **{"window": 5, **how})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"column f of the left side holds float64, but .* declares it as int64"):
        StreamJoinSource(left, right, 5, predicate=probes.Declares(("k", "f")))
    StreamJoinSource(left, right, 5, predicate=probes.Declares(("k", ("f", "float64")), (("f", "float32"),)))
    with pytest.raises(ValueError, match="column k of the right side holds texts, whose codes are that stream's own"):
        StreamJoinSource(left, texts, 5, [("k", "k")])
    with pytest.raises(ValueError, match="both sides are one source"):
        StreamJoinSource(left, left, 5)
    with pytest.raises(TypeError, match="the right side is of type int: give a Source"):
        StreamJoinSource(left, 5, 5)  # type: ignore[arg-type]
