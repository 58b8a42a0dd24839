"""A pipeline over several streams gets what a stable sort of all of them gives, in every engine and plan."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sanitized import examples

import streambench
from streambench.data.side_by_side import RowGroup, SideBySide
from streambench.errors import DataError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.plans import NAMED
from streambench.pyx.gate_source import GateSource, LateTuplesWarning
from streambench.pyx.join.manual_scale_gate import KINDS
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource

Row = tuple[int, ...]
ENGINES: list[dict[str, Any]] = [
    {"engine": "serial"},
    *({"engine": "ordered", "workers": 2, "plan": plan} for plan in NAMED),
    {"engine": "schemes", "workers": 2},
]
some_streams = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=30), min_size=1, max_size=10
)


def rows_of(source: Any, **options: Any) -> list[Row]:
    pipeline = Pipeline([source, TableSink()])
    execute(pipeline, Options(**{"pin": False, "engine": "serial", **options}))
    sink: TableSink = pipeline.sink
    return list(zip(*(column.tolist() for column in sink.rows()), strict=True))


def arrays(stream: list[Row]) -> list[Any]:
    return [np.array([row[k] for row in stream], dtype=np.int64) for k in range(2)]


def batches(stream: list[Row], size: int) -> Iterator[list[Any]]:
    for k in range(0, len(stream), size):
        yield arrays(stream[k : k + size])


def merged(streams: list[list[Row]], slack: int = 0) -> tuple[list[Row], tuple[int, ...]]:
    """All rows with their stream's number, by (time, stream, place), but for late ones; and how many were late."""
    kept, late = [], []
    for k, stream in enumerate(streams):
        highest, missed = -(2**63), 0
        for ts, value in stream:
            if ts < highest - slack:
                missed += 1
            else:
                kept.append((ts, value, k))
            highest = max(highest, ts)
        late.append(missed)
    return sorted(kept, key=lambda row: (row[0], row[2])), tuple(late)


@examples(150)
@given(
    streams=some_streams,
    size=st.integers(1, 40),
    unit=st.integers(1, 70),
    options=st.sampled_from(ENGINES),
    kind=st.sampled_from(sorted(KINDS)),
)
def test_ordered_streams_of_any_kind_become_one_in_order(
    streams: list[list[Row]], size: int, unit: int, options: dict[str, Any], kind: str
) -> None:
    streams = [sorted(stream, key=lambda row: row[0]) for stream in streams]
    kinds = [
        TableSource(arrays(stream), ("ts", "value"))
        if k % 3 == 0
        else dict(zip(("ts", "value"), arrays(stream), strict=True))
        if k % 3 == 1
        else batches(stream, size)
        for k, stream in enumerate(streams)
    ]
    source = GateSource(kinds, names=("ts", "value"), source="source", gate=kind)
    assert rows_of(source, **options, unit=unit) == merged(streams)[0]
    assert source.late == (0,) * len(streams)


@examples(200)
@given(streams=some_streams, size=st.integers(1, 40), slack=st.integers(0, 9), kind=st.sampled_from(sorted(KINDS)))
def test_disorder_within_the_slack_is_put_in_order_and_what_is_later_is_counted(
    streams: list[list[Row]], size: int, slack: int, kind: str
) -> None:
    wanted, late = merged(streams, slack)
    made = [batches(stream, size) for stream in streams]
    source = GateSource(made, names=("ts", "value"), slack=slack, source="source", gate=kind)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert rows_of(source) == wanted
    assert source.late == late
    assert [each.category for each in told] == [LateTuplesWarning] * any(late)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("end", [[], [10**9, 10**9 + 1]])
def test_more_may_wait_within_the_slack_than_the_gate_has_room_for(kind: str, end: list[int]) -> None:
    draw = np.random.default_rng(5)
    some = [np.concatenate([draw.integers(0, 20_000, n), end]).astype(np.int64) for n in (15_000, 9_000)]
    source = GateSource([{"ts": each} for each in some], slack=20_000, source="of", gate=kind)
    assert rows_of(source) == sorted((int(ts), k) for k, each in enumerate(some) for ts in each)
    assert source.late == (0, 0)


def test_late_tuples_are_told_by_stream() -> None:
    streams = [{"ts": [5, 1, 2, 9]}, {"ts": [1]}, {"ts": [7, 3, 6]}]
    with pytest.warns(LateTuplesWarning) as told:
        rows_of(GateSource(streams, slack=3))
    (one,) = told
    assert str(one.message) == (
        "late tuples were left out: 1 of stream 0, 1 of stream 2; slack is 3, a larger one takes them in"
    )


def test_late_tuples_end_the_run_where_warnings_are_errors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LateTuplesWarning, match="1 of stream 0"):
            rows_of(GateSource([{"ts": [5, 1]}]))


@pytest.mark.parametrize("slack", [0, 10**18, 2**63 - 1])
def test_times_and_slack_may_be_as_large_as_64_bits_allow(slack: int) -> None:
    times = [[-(2**63), -5, 2**63 - 2], [-(2**63), 2**63 - 2]]
    source = GateSource([{"ts": each} for each in times], slack=slack, source="of")
    assert rows_of(source) == sorted((ts, k) for k, each in enumerate(times) for ts in each)


@pytest.mark.parametrize("type", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
def test_time_may_be_any_integer_and_the_other_columns_of_any_type(type: str) -> None:
    streams = [
        {"x": np.array([0.5, 1.5], "float32"), "when": np.array([1, 3], type), "b": np.array([b"ab", b"c"], "V3")},
        {"x": np.array([2.5], "float32"), "when": np.array([2], type), "b": np.array([b"xyz"], "V3")},
    ]
    source = GateSource(streams, time="when")
    pipeline = Pipeline([source, TableSink()])
    execute(pipeline, Options(engine="serial", pin=False))
    got = pipeline.sink.rows()
    assert [each.dtype for each in got] == ["float32", type, "V3"]
    assert [each.tolist() for each in got] == [[0.5, 2.5, 1.5], [1, 2, 3], [b"ab\0", b"xyz", b"c\0\0"]]


def test_a_stream_of_several_laps_and_a_gate_are_streams_too() -> None:
    replayed = TableSource([[1, 2]], ("ts",), lap_shift=(10,), laps=3)
    inner = GateSource([{"ts": [2, 12]}, {"ts": [2, 3]}])
    assert [ts for (ts,) in rows_of(GateSource([replayed, inner]))] == [1, 2, 2, 2, 3, 11, 12, 12, 21, 22]


def test_the_length_is_known_where_all_streams_know_theirs() -> None:
    assert GateSource([{"ts": [1, 2]}, {"ts": []}]).total() == 2
    assert GateSource([{"ts": [1, 2]}, BatchSource([], ("ts",))]).total() is None


@pytest.mark.parametrize("kind", KINDS)
def test_long_streams_go_through_in_many_units(kind: str) -> None:
    draw = np.random.default_rng(3)
    times = [np.cumsum(draw.integers(0, 3, n)) for n in (30_000, 1, 50_000)]
    source = GateSource([{"ts": each} for each in times], source="of", gate=kind)
    wanted = sorted((int(ts), k) for k, each in enumerate(times) for ts in each)
    assert rows_of(source, engine="ordered", workers=2) == wanted


@pytest.mark.parametrize("options", ENGINES, ids=str)
def test_streams_of_a_gate_are_decoded_ahead_side_by_side(options: dict[str, Any]) -> None:
    """Their iterators never decode by themselves: the run would not end if nobody asked for it."""
    streams = [[(ts, k) for ts in range(k, 4000, 3)] for k in range(3)]

    def decoded(stream: list[Row]) -> BatchSource:
        columns = [np.array_split(column, 7) for column in arrays(stream)]
        groups = [RowGroup(7, tuple(map(iter, columns)))]
        return BatchSource(SideBySide(groups, ahead=2), ["ts", "value"], read_ahead=2)

    rows = rows_of(GateSource([decoded(stream) for stream in streams], source="from"), unit=64, **options)
    assert rows == merged(streams)[0]


def test_a_reader_that_raises_ends_the_run_in_one_sentence() -> None:
    def reading() -> Iterator[list[list[int]]]:
        yield [[1, 2]]
        raise OSError("the disk is gone")

    with pytest.raises(DataError) as refused:
        rows_of(GateSource([{"ts": [1, 9]}, reading()], names=("ts",)), engine="ordered", workers=2)
    assert str(refused.value) == "stream 1 of the gate cannot be read: OSError: the disk is gone."
    assert isinstance(refused.value.__cause__, OSError)


def test_ctrl_c_in_a_reader_stays_ctrl_c() -> None:
    def reading() -> Iterator[list[list[int]]]:
        yield [[1]]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rows_of(GateSource([reading()], names=("ts",)))


@pytest.mark.parametrize(
    ("batch", "sentence"),
    [
        (
            [[1, 2]],
            "stream 1 of the gate cannot be read: a batch must have 2 columns that are equally long.",
        ),
        (
            [[1], [0.5]],
            "stream 1 of the gate cannot be read: column b must hold int64, not float64: convert it with "
            "astype('int64') if the values are whole.",
        ),
        ([[2**63 - 1], [1]], "stream 1 of the gate has 2**63 - 1 in a, which is the end of time: it must be lower."),
    ],
)
def test_a_bad_batch_ends_the_run_in_one_sentence(batch: Any, sentence: str) -> None:
    with pytest.raises(DataError) as refused:
        rows_of(GateSource([[([1], [1])], [batch]], names=("a", "b"), time="a"))
    assert str(refused.value) == sentence


A = {"ts": [1], "a": [1]}
BAD: list[tuple[Any, dict[str, Any], str]] = [
    ([], {}, "a gate needs at least one stream"),
    (A, {}, "a gate's streams stand in a list, even where there is only one"),
    ([A, 3], {}, "stream 1 is of type int: give a Source, a mapping from names to arrays, or batches of arrays"),
    ([A, []], {}, "stream 1 is an iterable of batches: say by names= what their columns are called"),
    (
        [A, {"ts": [1], "a": [0.5]}],
        {},
        "stream 1 has columns ts (int64), a (float64), but stream 0 ts (int64), a (int64): make them equal",
    ),
    (
        [A],
        {"time": "when"},
        "there is no column when to order by: the streams have ts (int64), a (int64); time= names one",
    ),
    (
        [{"ts": [0.5]}],
        {},
        "column ts holds float64: time is int64 or int32 or int16 or int8 or uint32 or uint16 or uint8",
    ),
    ([A], {"source": "a"}, "the streams have a column a already: call the one that names the stream otherwise"),
    (
        [{f"c{k}": [1] for k in range(64)}],
        {"time": "c0", "source": "of"},
        "the streams have 64 columns, so none can be appended: leave source= out",
    ),
    ([A], {"slack": -1}, "slack must be a whole number from 0 to 2**63 - 1, not -1"),
    ([A], {"gate": "sieve"}, "there is no gate 'sieve': choose from ring, skip-list"),
]


@pytest.mark.parametrize(("streams", "options", "sentence"), BAD, ids=range(len(BAD)))
def test_what_makes_no_gate_is_refused_in_one_sentence(streams: Any, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError)) as refused:
        GateSource(streams, **options)
    assert str(refused.value) == sentence


def test_a_stream_cannot_stand_twice() -> None:
    table = TableSource([[1]], ("ts",))
    with pytest.raises(ValueError, match="a stream stands twice in the list: a gate reads each once"):
        GateSource([table, table])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("slack", [0, 5])
def test_a_heartbeat_lets_the_others_go_on_while_a_stream_is_silent(kind: str, slack: int) -> None:
    happened: list[Any] = []

    def silent() -> Iterator[Any]:
        yield np.array([1]), np.array([0])
        for promised in (7, 7, 20):
            yield streambench.Heartbeat(promised)
            happened.append(f"asked after {promised}")
        yield np.array([19, 25]), np.array([0, 0])

    @streambench.stateless(emits=["seen"], numba=False)
    def see(ts: Any, seen: Any) -> None:
        happened.extend(ts.tolist())
        seen[:] = ts

    busy = {"ts": np.array([2, 5, 7, 8, 30]), "value": np.ones(5, np.int64)}
    source = GateSource([busy, BatchSource(silent(), ("ts", "value"), read_ahead=1)], slack=slack, gate=kind)
    with pytest.warns(LateTuplesWarning):
        streambench.Pipeline([source, see, TableSink()]).run(engine="serial", unit=1)
    assert happened[: happened.index("asked after 7")] == [1, 2, 5, 7]
    assert [each for each in happened if isinstance(each, int)] == [1, 2, 5, 7, 8, 25, 30]
    assert happened.index(8) < happened.index(25)
    assert source.late == (0, 1), "19 is before what was promised"


@pytest.mark.parametrize("ts", [1.5, True, "1", 2**63 - 1, -(2**63) - 1])
def test_a_heartbeat_has_a_time(ts: Any) -> None:
    with pytest.raises(ValueError, match="a heartbeat's time is a whole number from"):
        streambench.Heartbeat(ts)


def test_without_a_gate_a_heartbeat_is_no_tuple() -> None:
    source = BatchSource([streambench.Heartbeat(3), ([1, 2],), streambench.Heartbeat(9), ([3],)], ("ts",))
    sink = TableSink()
    streambench.Pipeline([source, sink]).run(workers=2, unit=1)
    assert sink.rows()[0].tolist() == [1, 2, 3]
