"""What no source, join or summary can take is refused by an error of streambench's own, in one sentence."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import streambench
from streambench import ArrowSource
from streambench.errors import StreambenchError
from streambench.pyx.gate_source import GateSource
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew
from streambench.pyx.join_source import JoinSource
from streambench.pyx.manual_scale_gate import ManualScaleGate
from streambench.pyx.stream_join_source import StreamJoinSource
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource
from streambench.pyx.tuples.whole_number import is_number, is_whole_number

ROWS = np.arange(3)


def keyed(**options: Any) -> Any:
    given = {"key": "a", "state": [("n", "int64")], "emits": "b", **options}
    return streambench.keyed(**given)(lambda state, a: a)


TABLE = pa.table({"ts": [1, 2, 3], "u": ["a", "b", None]})


def run(source: Any) -> None:
    streambench.Pipeline([source, TableSink()]).run()


def gate() -> Any:
    return ManualScaleGate("ring", types=[("int64",)], readers=1)


def counted() -> Any:
    hitters = streambench.TopK()
    hitters.update(np.array([1, 2]))
    return hitters


REFUSED: list[Callable[[], Any]] = [
    lambda: run(BatchSource([(5,)], ("a",))),
    lambda: TableSource(3, 4),
    lambda: TableSource([ROWS], []),
    lambda: TableSource([ROWS, ROWS[:2]], ["a", "b"]),
    lambda: TableSource([np.zeros((2, 2))], ["a"]),
    lambda: TableSource([np.array(["x", None], object)], ["a"]),
    lambda: TableSource([np.array(["x"])], ["a"]),
    lambda: TableSource(None, None),
    lambda: TableSource([np.array([1j])], ["a"]),
    lambda: TableSource([np.array(["2020-01-01"], "M8[s]")], ["a"]),
    lambda: TableSource([np.zeros(2, np.float16)], ["a"]),
    lambda: BatchSource(3, ("a",)),
    lambda: BatchSource([], 3),
    lambda: BatchSource([], ("a",), types=("nosuch",)),
    lambda: run(BatchSource([(ROWS, ROWS)], ("a",))),
    lambda: run(BatchSource([5], ("a",))),
    lambda: run(BatchSource([(np.array([1.5]),)], ("a",))),
    lambda: run(BatchSource([(np.array(["q"]),)], ("a",))),
    lambda: run(BatchSource([(np.array([1, 2**70], object),)], ("a",))),
    lambda: run(BatchSource([([1, 2.5],)], ("a",))),
    lambda: run(BatchSource([(np.array([2**63 + 1], np.uint64),)], ("a",))),
    lambda: run(BatchSource([([1, None],)], ("a",))),
    lambda: TableSource([ROWS], "a"),
    lambda: TableSource([ROWS], [3]),
    lambda: TableSource([[1, [2]]], ["a"]),
    lambda: TableSource([ROWS], ["a"], lap_shift=3),
    lambda: BatchSource([], ["a"], types=["int8", "int8"]),
    lambda: BatchSource([], ["a"], types=[None]),
    lambda: BatchSource([], ["a"], types=3),
    lambda: BatchSource([], ["a"], read_ahead=0),
    lambda: BatchSource([], ["a"], total_tuples=2.5),
    lambda: run(BatchSource([None, (ROWS,)], ["a"])),
    lambda: run(BatchSource([{"a": [1]}], ["a"])),
    lambda: run(BatchSource([pa.record_batch({"a": [1]})], ["a"])),
    lambda: gate().add(3, 1, [1]),
    lambda: gate().add(0, 1, [np.timedelta64(1)]),
    lambda: gate().add(0, 1, 3),
    lambda: gate().add_rows(0, [1], 3),
    lambda: gate().next_ready(0, -1),
    lambda: ManualScaleGate("ring", 3),
    lambda: ManualScaleGate([], [()]),
    lambda: GateSource([{"ts": [1]}], gate=[]),
    lambda: GateSource([{"ts": [1]}], time=["ts"]),
    lambda: StreamJoinSource(ArrowSource(TABLE), ArrowSource(TABLE), 1, [([], [])]),
    lambda: StreamJoinSource(ArrowSource(TABLE), ArrowSource(TABLE), 1, rule=[]),
    lambda: StreamJoinSource(ArrowSource(TABLE), ArrowSource(TABLE), 1, capacity=2**40),
    lambda: ArrowSource(TABLE, columns="u"),
    lambda: ArrowSource(TABLE, columns=3),
    lambda: ArrowSource(TABLE, time="u"),
    lambda: ArrowSource(TABLE, nulls={"ts": np.timedelta64(3)}),
    lambda: ArrowSource(TABLE, nulls={"ts": ROWS}),
    lambda: ArrowSource(TABLE, nulls={"ts": [1]}),
    lambda: ArrowSource(TABLE, nulls={3: 1}),
    lambda: ArrowSource(TABLE, nulls=ROWS),
    lambda: ArrowSource(TABLE, nulls=[1]),
    lambda: ArrowSource(TABLE, nulls=object()),
    lambda: ArrowSource(TABLE, dictionaries={"u": None}),
    lambda: ArrowSource(TABLE, dictionaries={"u": 5}),
    lambda: keyed(high_key=2**70),
    lambda: keyed(low_key=-(2**70)),
    lambda: keyed(high_key="x"),
    lambda: keyed(high_key=2.5),
    lambda: keyed(texts=5),
    lambda: keyed(reads=5),
    lambda: keyed(reads=[5]),
    lambda: keyed(emits=5),
    lambda: keyed(emits=[None]),
    lambda: keyed(key=["a", 5]),
    lambda: streambench.ArrowJoinSource(TABLE, TABLE, window=1, columns="u"),
    lambda: streambench.join(TABLE, TABLE, equal=3, window=1),
    lambda: streambench.join(TABLE, TABLE, bands=[3], window=1),
    lambda: streambench.join(TABLE, TABLE, bands=[("ts", "ts", np.bool_(True))], window=1),
    lambda: streambench.join(TABLE, TABLE, bands=[("ts", "ts", ROWS)], window=1),
    lambda: streambench.join(TABLE, TABLE, window=1, rule=[]),
    lambda: Definition(ROWS, ROWS, [], 3.5),
    lambda: Definition(ROWS, ROWS, [], True),
    lambda: Definition([0], ROWS, [], 1),
    lambda: Definition(ROWS, ROWS, [(ROWS, ROWS, 1.5)], 1),
    lambda: Definition(ROWS, ROWS, [(ROWS, ROWS, -1)], 1),
    lambda: Definition(ROWS, ROWS, [(ROWS / 2, ROWS / 2, float("nan"))], 1),
    lambda: JoinCrew(Definition(ROWS, ROWS, [], 1), "scan", 2.5),
    lambda: JoinCrew(Definition(ROWS, ROWS, [], 1), "q", 1),
    lambda: JoinSource(Definition(ROWS, ROWS, [], 1), {}, {}, "q"),
    lambda: streambench.TopK(np.timedelta64(1)),
    lambda: streambench.TopK(np.complex128(0.1)),
    lambda: streambench.TopK(design=[]),
    lambda: counted().answer().frequent(np.timedelta64(0)),
    lambda: gate().add(0, 1, []),
    lambda: gate().add(0, None, [1]),
    lambda: gate().add(0, np.timedelta64(5, "s"), [1]),
    lambda: gate().heartbeat(0, "x"),
    lambda: ManualScaleGate("ring", types=[("int64",)], readers=0),
    lambda: GateSource(None),
    lambda: GateSource([]),
    lambda: GateSource([{"ts": [1]}], time=3),
    lambda: StreamJoinSource(1, 2, 3),
    lambda: StreamJoinSource(TableSource([ROWS], ["ts"]), TableSource([ROWS], ["ts"]), "x"),
    lambda: StreamJoinSource(TableSource([ROWS], ["ts"]), TableSource([ROWS], ["ts"]), 1, rule="q"),
    lambda: ArrowSource(3),
    lambda: ArrowSource("/nonexistent.parquet"),
    lambda: ArrowSource(pa.table({"a": [1]}), columns=["b"]),
    lambda: run(ArrowSource(pa.table({"a": [1, None]}))),
    lambda: ArrowSource(pa.table({"a": [1, None]}), nulls={"b": 1}),
    lambda: ArrowSource(pa.table({"a": [1, None]}), nulls={"a": "x"}),
    lambda: ArrowSource(pa.table({"a": [1, None]}), nulls={"a": 1.5}),
    lambda: run(ArrowSource(pa.table({"a": [1, None]}), nulls={"a": True})),
    lambda: ArrowSource(pa.table({"a": [1]}), read_ahead=1.5),
    lambda: ArrowSource(pa.table({"a": [1]}), read_ahead=np.timedelta64(3, "s")),
    lambda: run(ArrowSource(pd.DataFrame({"a": [1, None]}))),
    lambda: run(ArrowSource(pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)}))),
    lambda: run(ArrowSource(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}))),
    lambda: run(ArrowSource(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]))),
    lambda: run(ArrowSource(pa.table({f"c{i}": [1] for i in range(65)}))),
    lambda: run(ArrowSource(pa.table({}))),
    lambda: streambench.join(TABLE, TABLE, equal=[("u", "u")], window=1),
    lambda: streambench.join(pa.table({"ts": [2, 1]}), pa.table({"ts": [2, 1]}), window=1),
    lambda: streambench.join(pa.table({"x": [1]}), TABLE, window=1),
    lambda: streambench.join(TABLE, TABLE, bands=[("u", "u", 1)], window=1),
    lambda: streambench.join(TABLE, TABLE, bands=[("ts", "ts", float("nan"))], window=1),
    lambda: streambench.join(TABLE, TABLE, bands=[("ts", "ts", -1)], window=1),
    lambda: streambench.join(TABLE, TABLE, equal="uu", window=1),
    lambda: streambench.join(TABLE, TABLE, equal=[("u", "u", "u")], window=1),
    lambda: streambench.join(TABLE, TABLE, window=1, threads=0),
    lambda: streambench.join(TABLE, TABLE, window=1, tier="q"),
    lambda: streambench.join(1, 2, window=1),
    lambda: streambench.join(TABLE, TABLE, window=1.5),
    lambda: streambench.join(
        pa.table({"ts": pa.array([1], pa.timestamp("s", "UTC"))}),
        pa.table({"ts": pa.array([1], pa.timestamp("s"))}),
        window=1,
    ),
    lambda: streambench.join(pa.table({"ts": [1.0]}), pa.table({"ts": [1.0]}), window=1),
    lambda: (
        streambench.join(
            pa.table({"ts": pa.array([2**63 + 5], pa.uint64())}),
            pa.table({"ts": pa.array([2**63 + 5], pa.uint64())}),
            window=1,
        ).num_rows
    ),
    lambda: streambench.TopK(0),
    lambda: streambench.TopK(float("nan")),
    lambda: streambench.TopK("x"),
    lambda: streambench.TopK(counters=1.5),
    lambda: streambench.TopK(threads=0),
    lambda: streambench.TopK(design="q"),
    lambda: counted().update(["a"]),
    lambda: counted().update(np.array([1.0])),
    lambda: counted().update(np.array([2**63 + 1], np.uint64)),
    lambda: streambench.TopK().update(np.zeros((2, 2))),
    lambda: streambench.TopK().update([1, "a"]),
    lambda: streambench.TopK().update(pa.array([decimal.Decimal("1")])),
    lambda: counted().answer().top(-1),
    lambda: counted().answer().frequent(2),
    lambda: counted().answer().frequent(float("nan")),
    lambda: counted().estimate("a"),
    lambda: streambench.TopK().update(None),
    lambda: streambench.TopK().update(3),
    lambda: streambench.TopK().update("abc"),
]


@pytest.mark.parametrize("refused", REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_taken_is_refused_in_one_sentence(refused: Callable[[], Any]) -> None:
    with pytest.raises(StreambenchError) as problem:
        refused()
    assert "\n" not in str(problem.value)


def test_a_source_is_not_read_by_two_that_are_merged_or_joined() -> None:
    """Each would get a part of its rows."""
    table = TableSource([ROWS], ["ts"])
    for refused in (
        lambda: GateSource([GateSource([table]), table]),
        lambda: StreamJoinSource(table, GateSource([table]), 5),
        lambda: StreamJoinSource(GateSource([table]), GateSource([table]), 5),
    ):
        with pytest.raises(StreambenchError, match=r"a (gate|join) reads each once"):
            refused()


def test_truth_values_spans_and_complex_numbers_are_no_numbers() -> None:
    assert not is_whole_number(np.timedelta64(3, "s"))
    assert [is_number(each) for each in (1, 0.5, np.float32(1), np.bool_(True), 1j, np.timedelta64(1))] == [
        True
    ] * 3 + [False] * 3
