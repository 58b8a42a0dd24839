"""A gate and a join of streams know what their sources' columns mean: texts, units of time, what stands for null."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import streambench
from streambench import ArrowSource
from streambench.errors import DataError, OptionError
from streambench.pyx.gate_source import GateSource, LateTuplesWarning
from streambench.pyx.stream_join_source import StreamJoinSource
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource

TEXTS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.int64()),
]
ENGINES: list[dict[str, Any]] = [{"engine": "serial"}, {"workers": 2, "unit": 2}]
A = pa.table({"ts": [0, 2, 4], "user": ["ann", "bob", "ann"]})
B = pa.table({"ts": [1, 3, 5], "user": ["bob", "ann", "bob"]})


@streambench.keyed(key="user", state=[("n", "int64")], emits={"user": "int32", "n": "int64"}, numba=False)
def counted(state: Any, user: Any) -> Any:
    state.n += 1
    return user, state.n


def rows(source: Any, *between: Any, **options: Any) -> list[dict[str, Any]]:
    pipeline = streambench.Pipeline([source, *between, TableSink()])
    pipeline.run(pin=False, **(options or {"engine": "serial"}))
    return list(source.restore(pipeline.sink.to_arrow()).to_pylist())


def texts(ts: list[int], values: list[Any], type: pa.DataType) -> pa.Table:
    if pa.types.is_integer(getattr(type, "value_type", pa.string())):
        values = [None if each is None else 3 * ord(each[0]) for each in values]
    if type == pa.binary():
        values = [None if each is None else each.encode() for each in values]
    return pa.table({"ts": ts, "user": pa.array(values, type)})


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize("type", TEXTS, ids=str)
def test_a_keyed_count_over_a_gate_counts_texts(type: pa.DataType, how: dict[str, Any]) -> None:
    data = [([0, 2, 4], ["ann", "bob", "ann"]), ([1, 3, 5], ["bob", None, "bob"]), ([4, 4], ["cat", "bob"])]
    sources = [ArrowSource(texts(ts, users, type)) for ts, users in data]
    merged = sorted(
        (
            (ts, k, texts([ts], [user], type)["user"][0].as_py())
            for k, each in enumerate(data)
            for ts, user in zip(*each, strict=True)
        ),
        key=lambda row: row[:2],
    )
    seen: Counter[Any] = Counter()
    wanted = []
    for _, _, user in merged:
        seen[user] += 1
        wanted.append({"user": user, "n": seen[user]})
    gate = GateSource(sources)
    assert rows(gate, counted, **how) == wanted
    assert gate.dictionaries["user"].to_pylist() == list(dict.fromkeys(user for *_, user in merged if user is not None))
    assert rows(gate, counted, **how) == wanted, "a further run"


def test_codes_of_a_gate_do_not_depend_on_what_was_read_first() -> None:
    def codes(unit: int, batch: int) -> list[Any]:
        draw = np.random.default_rng(1)
        tables = [
            pa.table(
                {
                    "ts": np.arange(900) + k,
                    "a": draw.integers(0, 300, 900).astype(str),
                    "b": draw.integers(0, 300, 900).astype(str),
                }
            )
            for k in range(3)
        ]
        readers = [pa.RecordBatchReader.from_batches(each.schema, each.to_batches(batch)) for each in tables]
        sink = TableSink()
        gate = GateSource([ArrowSource(each, read_ahead=1 + k) for k, each in enumerate(readers)])
        streambench.Pipeline([gate, sink]).run(workers=2, unit=unit, pin=False)
        table = gate.restore(sink.to_arrow())
        order = np.lexsort((np.repeat(range(3), 900), np.concatenate([each["ts"].to_numpy() for each in tables])))
        assert (
            table.select(["a", "b"]).to_pylist() == pa.concat_tables(tables).take(order).select(["a", "b"]).to_pylist()
        )
        return [each.tolist() for each in sink.rows()]

    assert codes(7, 1000) == codes(500, 13)


def test_a_gate_of_gates_and_one_of_several_layouts_have_one_dictionary() -> None:
    third = pa.table({"ts": [2, 6], "user": pa.array(["ann", None], pa.dictionary(pa.int8(), pa.large_string()))})
    inner = GateSource([ArrowSource(B), ArrowSource(third)])
    found = rows(GateSource([ArrowSource(A), inner], source="of"))
    assert [(row["ts"], row["user"], row["of"]) for row in found] == [
        (0, "ann", 0),
        (1, "bob", 1),
        (2, "bob", 0),
        (2, "ann", 1),
        (3, "ann", 1),
        (4, "ann", 0),
        (5, "bob", 1),
        (6, None, 1),
    ]


def test_an_empty_source_and_one_of_nulls_only_are_streams_too() -> None:
    nulls = pa.table({"ts": [1, 9], "user": pa.array([None, None], pa.string())})
    found = rows(GateSource([ArrowSource(A.slice(0, 0)), ArrowSource(nulls), ArrowSource(A)]), workers=2)
    assert [row["user"] for row in found] == ["ann", None, "bob", "ann", None]


@pytest.mark.parametrize("how", ENGINES, ids=str)
@pytest.mark.parametrize("type", TEXTS, ids=str)
def test_streams_are_joined_by_texts_as_tables_are(type: pa.DataType, how: dict[str, Any]) -> None:
    draw = np.random.default_rng(4)
    users = [[f"{'abcdefgh'[k]}" for k in draw.integers(0, 8, 300)] for _ in range(4)]
    tables = [texts(list(range(300)), each, type) for each in users]
    sides = [GateSource([ArrowSource(each) for each in tables[side : side + 2]]) for side in (0, 2)]
    wanted = streambench.join(tables[:2], tables[2:], window=5, equal=[("user", "user")])
    source = StreamJoinSource(sides[0], sides[1], 5, [("user", "user")])
    assert len(wanted) > 300
    assert rows(source, **how) == wanted.to_pylist()
    assert rows(source, **how) == wanted.to_pylist(), "a further run"


def test_two_columns_of_texts_are_equal_in_a_function_where_the_texts_are() -> None:
    letters = pa.table({"ts": [0, 1, 2], "of": ["ann", "bob", None], "to": ["bob", "bob", "ann"]})

    @streambench.mapped(emits={"same": "int64"}, numba=False)
    def compared(of: Any, to: Any) -> Any:
        return int(of == to)

    for source in (
        ArrowSource(letters),
        ArrowSource(pa.Table.from_batches(letters.to_batches(1))),
        GateSource([ArrowSource(letters.slice(0, 1)), ArrowSource(letters.slice(1))]),
    ):
        assert [row["same"] for row in rows(source, compared)] == [0, 1, 0]

    @streambench.mapped(emits={"same": "int64"}, reads=["user", "user_right"], numba=False)
    def paired(mine: Any, theirs: Any) -> Any:
        return int(mine == theirs)

    pairs = streambench.join(A, B, window=2).to_pylist()
    wanted = [int(row["user"] == row["user_right"]) for row in pairs]
    assert {*wanted} == {0, 1}
    for source in (StreamJoinSource(ArrowSource(A), ArrowSource(B), 2), streambench.ArrowJoinSource(A, B, window=2)):
        assert [row["same"] for row in rows(source, paired)] == wanted


def timed(type: pa.DataType, *times: int) -> pa.Table:
    return pa.table({"ts": pa.array(times, pa.int64() if type.bit_width == 64 else pa.int32()).view(type)})


MS, US, DAY, INT = pa.timestamp("ms"), pa.timestamp("us"), pa.date32(), pa.int32()


@pytest.mark.parametrize(
    ("one", "other"),
    [(MS, US), (DAY, INT), (pa.duration("ms"), MS), (US, pa.timestamp("us", "UTC")), (pa.timestamp("us", "CET"), US)],
    ids=str,
)
def test_other_units_of_time_are_refused_by_both_types(one: pa.DataType, other: pa.DataType) -> None:
    left, right = timed(one, 0, 2), timed(other, 1000, 3000)
    with pytest.raises(DataError) as refused:
        GateSource([ArrowSource(left), ArrowSource(right)])
    assert str(refused.value) == f"column ts is {other} in stream 1, but {one} in stream 0: cast one of them"
    wide = f"the sides' times are {one} and {other}: cast one of them"
    with pytest.raises(DataError, match=r"the sides' times are .* and .*: cast one of them") as refused:
        StreamJoinSource(ArrowSource(left), ArrowSource(right), 10)
    assert str(refused.value) == wide
    with pytest.raises(DataError, match="cast one of them"):
        streambench.join(left, right, window=10)


@pytest.mark.parametrize("type", [MS, DAY, pa.duration("ns")], ids=str)
def test_times_come_back_of_a_gate_and_of_a_join(type: pa.DataType) -> None:
    one, other = timed(type, 0, 2), timed(type, 1, 2)
    merged = timed(type, 0, 1, 2, 2).to_pylist()
    assert rows(GateSource([ArrowSource(one), ArrowSource(other)])) == merged
    joined = rows(StreamJoinSource(ArrowSource(one), ArrowSource(other), 1))
    assert joined == streambench.join(one, other, window=1).to_pylist()


def source_of(**columns: Any) -> ArrowSource:
    return ArrowSource(pa.table({"ts": [0, 1], **columns}), nulls={"n": -1} if "n" in columns else None)


TWO = [1, 2]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            lambda: GateSource([source_of(k=["a", "b"]), {"ts": TWO, "k": np.array(TWO, "int32")}]),
            "k is int32 in stream 1, but string",
        ),
        (
            lambda: GateSource([source_of(k=["a", "b"]), source_of(k=[b"a", b"b"])]),
            "k is binary in stream 1, but string in",
        ),
        (
            lambda: GateSource([source_of(k=TWO), source_of(k=[1.0, 2.0])]),
            "k is double in stream 1, but int64 in stream 0: cast one of them; pandas",
        ),
        (
            lambda: GateSource([source_of(n=TWO), ArrowSource(pa.table({"ts": TWO, "n": TWO}))]),
            "stands nothing in stream 1, but -1 in stream 0",
        ),
        (
            lambda: GateSource([source_of(n=TWO), {"ts": TWO, "n": TWO}]),
            "for null in column n stands nothing in stream 1",
        ),
        (lambda: GateSource([ArrowSource(A)], time="user"), "column user holds string: time is"),
        (lambda: GateSource([A]), "stream 0 is of type Table: give a streambench.ArrowSource of it"),
        (
            lambda: StreamJoinSource(ArrowSource(A), ArrowSource(B), 1, time="user"),
            "column user of the left side holds string: its time",
        ),
        (
            lambda: StreamJoinSource(ArrowSource(A), ArrowSource(B), 1, bands=[("user", "user", 1)]),
            "holds string: a band takes",
        ),
        (
            lambda: StreamJoinSource(ArrowSource(A), source_of(user=[b"a", b"b"]), 1, [("user", "user")]),
            r"user \(string\) and user \(binary\) cannot",
        ),
        (
            lambda: StreamJoinSource(source_of(at=timed(MS, 1, 2)["ts"]), source_of(at=TWO), 1, [("at", "at")]),
            "at holds timestamp.ms. and at holds int64",
        ),
    ],
    ids=range(11),
)
def test_columns_of_other_meanings_are_refused(made: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        made()


@pytest.mark.parametrize("how", [{"equal": [("n", "n")]}, {"bands": [("n", "n", 3)]}], ids=str)
def test_a_null_that_would_be_compared_ends_the_run_as_in_a_join_of_tables(how: dict[str, Any]) -> None:
    left, right = ({"ts": [0, 1], "n": [1, 2]}, {"ts": [0, 1], "n": [1, None]})
    told = "column n of the right side has nulls, which match nothing: leave their rows out or fill them"
    with pytest.raises(DataError, match=told):
        rows(StreamJoinSource(source_of(**left), source_of(**right), 5, **how))
    with pytest.raises(DataError, match=told):
        streambench.join(pa.table(left), pa.table(right), window=5, **how)
    users = pa.table({"ts": [0], "user": pa.array([None], pa.string())})
    with pytest.raises(DataError, match="column user of the left side has nulls"):
        rows(StreamJoinSource(ArrowSource(users), ArrowSource(users), 5, [("user", "user")]))


def test_a_null_among_the_times_of_a_gate_ends_the_run() -> None:
    with pytest.raises(DataError, match="stream 0 of the gate has a null in ts, by which it is to be ordered"):
        rows(GateSource([ArrowSource(pa.table({"ts": [0, None]}), nulls=-1)]))


def test_what_a_promise_has_ruled_out_stays_late_where_the_gate_was_full() -> None:
    def promising() -> Iterator[Any]:
        yield (np.arange(10_000),)
        yield streambench.Heartbeat(20_000)  # more waits than the gate has room for
        yield streambench.Heartbeat(5_000)
        yield ([15_000],)

    gate = GateSource([BatchSource(promising(), ("ts",), read_ahead=1), {"ts": [30_000]}], slack=10**6)
    with pytest.warns(LateTuplesWarning):
        assert len(rows(gate)) == 10_001
    assert gate.late == (1, 0)


def test_a_sides_last_time_stays_known_where_its_rows_are_forgotten() -> None:
    """Nothing of the side waits when more of it is read, and no row is in a window."""

    def halting(times: Any) -> Iterator[Any]:
        for each in np.split(times, 60):
            yield (each,)
            yield streambench.Heartbeat(int(each[-1]))

    def joined(times: Any) -> list[Any]:
        left = BatchSource(halting(times), ("ts",), read_ahead=1)
        return rows(StreamJoinSource(left, BatchSource([], ("ts",)), 0, rule="count", capacity=1), unit=64)

    assert joined(np.arange(30_000) - 40_000) == []
    assert joined(np.arange(30_000)) == []


@pytest.mark.parametrize("slack", [1.5, True, "one", None, 2**63, -1, np.float64(2)])
def test_slack_is_a_whole_number_or_a_span(slack: Any) -> None:
    with pytest.raises(OptionError, match=r"slack must be a whole number from 0 to 2..63 - 1"):
        GateSource([{"ts": [1]}], slack=slack)


SPANS = ("2s", datetime.timedelta(seconds=2), np.timedelta64(2000, "ms"), 2)


@pytest.mark.parametrize("span", SPANS, ids=repr)
def test_the_slack_of_a_gate_is_a_span_in_the_unit_of_its_time(span: Any) -> None:
    source = GateSource([ArrowSource(timed(pa.timestamp("s"), 3, 1, 4, 1))], time="ts", slack=span)
    with pytest.warns(LateTuplesWarning, match="slack is 2,"):
        assert [row["ts"].second for row in rows(source)] == [1, 3, 4]
    with pytest.raises(OptionError, match="slack is 5min, but the column counts in no unit of time"):
        GateSource([{"ts": [1]}], slack="5min")
    with pytest.raises(OptionError, match="slack is 1500ms, which is no whole number of s"):
        GateSource([ArrowSource(timed(pa.timestamp("s"), 1))], slack="1500ms")


@pytest.mark.parametrize("span", SPANS, ids=repr)
def test_windows_and_bands_of_a_join_of_streams_are_spans(span: Any) -> None:
    left, right = timed(pa.timestamp("s"), 0, 1, 5), timed(pa.timestamp("s"), 2, 3, 8)
    wanted = streambench.join(left, right, window=2)
    for options in ({"window": span}, {"window": "1h", "bands": [("ts", "ts", span)]}):
        found = rows(StreamJoinSource(ArrowSource(left), ArrowSource(right), **options))
        assert len(found) == wanted.num_rows == 4
    with pytest.raises(OptionError, match="window is 2s, but the column counts in no unit of time"):
        StreamJoinSource(ArrowSource(left), ArrowSource(right), window="2s", rule="count")


@pytest.mark.parametrize("span", [np.timedelta64(2, "s"), True, 2.0], ids=repr)
def test_a_span_or_a_truth_value_is_no_number_of_threads_or_rows(span: Any) -> None:
    table = timed(pa.timestamp("s"), 1)
    hitters = streambench.TopK()
    for refused in (
        lambda: streambench.join(table, table, window=1, threads=span),
        lambda: streambench.TopK(counters=span),
        lambda: hitters.answer().top(span),
        lambda: StreamJoinSource(ArrowSource(table), ArrowSource(table), 1, capacity=span),
    ):
        with pytest.raises(OptionError, match=r"(must be|is) (at least|a whole|from|.*whole)"):
            refused()


@pytest.mark.parametrize("option", ["window", "slack", "threads", "width"])
def test_true_is_no_number_for_a_join(option: str) -> None:
    options = {"window": 5, "bands": [("ts", "ts", True)]} if option == "width" else {"window": 5, option: True}
    with pytest.raises(OptionError, match="must be"):
        streambench.join(A, B, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["gate", "source", "time", "names"])
def test_what_is_no_name_is_refused_by_a_gate(option: str) -> None:
    streams: Any = [[([1],)]] if option == "names" else [{"ts": [1]}]
    with pytest.raises((DataError, OptionError)):
        GateSource(streams, **{option: None if option in ("names", "time") else 3})
