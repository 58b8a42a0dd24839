"""Units carry the first and the last event time of their tuples, whatever operators make of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from streambench.data.arrow_source import ArrowSource
from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.gate_source import GateSource
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import BatchSource, TableSource

ROWS, UNIT = 500, 16
ENGINES = [
    {"engine": "serial"},
    {"engine": "ordered", "workers": 2, "plan": "sharded", "partitions": 5},
    {"engine": "ordered", "workers": 3, "plan": "cut", "partitions": 5},
    {"engine": "schemes", "workers": 3, "partitions": 5},
]


def arrays(kind: str) -> list[Any]:
    random = np.random.default_rng(2)
    ts = np.cumsum(random.integers(0, 3, ROWS)).astype(kind)
    return [random.integers(0, 9, ROWS).astype(np.int32), ts]


def sources(kind: str) -> dict[str, Any]:
    key, ts = arrays(kind)
    batches = [(key[k : k + 100], ts[k : k + 100]) for k in range(0, ROWS, 100)]
    return {
        "table": TableSource([key, ts], ("key", "ts"), time="ts"),
        "batches": BatchSource(batches, ("key", "ts"), types=("int32", kind), time="ts"),
        "arrow": ArrowSource(pa.table({"key": key, "ts": ts}), time="ts"),
        "gate": GateSource([{"key": key[::2], "ts": ts[::2]}, {"key": key[1::2], "ts": ts[1::2]}], time="ts"),
    }


def run(operators: list[Any], options: dict[str, Any]) -> Any:
    sink = TableSink()
    execute(Pipeline([*operators, sink]), Options(unit=UNIT, pin=False, **options))
    return dict(zip(operators[-1].emitted, sink.rows(), strict=True))


@pytest.mark.parametrize("kind", ["int8", "uint32", "int64"])
@pytest.mark.parametrize("source", ["table", "batches", "arrow", "gate"])
@pytest.mark.parametrize("options", ENGINES, ids=lambda options: options.get("plan", options["engine"]))
def test_a_tuples_time_lies_between_its_units_first_and_last(
    probes: SimpleNamespace, options: dict[str, Any], source: str, kind: str
) -> None:
    if kind == "int8":
        key, ts = arrays("int64")
        given: Any = TableSource([key, (ts // 10).astype("int8")], ("key", "ts"), time="ts")
    else:
        given = sources(kind)[source]
    copied = probes.Copies({"key": "int32", "ts": kind})
    found = run([given, copied, probes.Times("key")], options)
    assert np.all((found["first"] <= found["ts"]) & (found["ts"] <= found["last"]))
    assert np.all(found["last"] - found["first"] <= 2 * (UNIT - 1))


def test_they_are_the_times_at_the_units_ends_in_every_lap(probes: SimpleNamespace) -> None:
    key, ts = arrays("uint32")
    source = TableSource([key, ts], ("key", "ts"), lap_shift=(0, 10_000), laps=3, time="ts")
    found = run([source, probes.Times("key")], {"engine": "serial", "preload": True})
    for lap in range(3):
        for begin in range(0, ROWS, UNIT):
            unit = slice(lap * ROWS + begin, lap * ROWS + min(begin + UNIT, ROWS))
            assert set(found["first"][unit]) == {found["ts"][unit][0]}
            assert set(found["last"][unit]) == {found["ts"][unit][-1]}
    assert found["ts"].tolist() == [int(each) + 10_000 * lap for lap in range(3) for each in ts]


def test_without_a_time_column_it_is_not_known(probes: SimpleNamespace) -> None:
    key, ts = arrays("int64")
    found = run([TableSource([key, ts], ("key", "ts")), probes.Times("key")], {"engine": "serial"})
    assert np.all(found["first"] > found["last"])


def test_a_time_that_decreases_is_refused(probes: SimpleNamespace) -> None:
    with pytest.raises(ValueError, match="column ts must never decrease, but 4 follows 5: sort the stream by it"):
        TableSource([[1, 2, 3], [5, 5, 4]], ("key", "ts"), time="ts")
    for batches in ([([1], [5]), ([2], [4])], [([1, 2], [5, 4])]):
        source = BatchSource(iter(batches), ("key", "ts"), time="ts")
        with pytest.raises(ValueError, match="column ts must never decrease, but 4 follows 5"):
            execute(Pipeline([source, TableSink()]), Options(engine="serial"))


@pytest.mark.parametrize("time", ["when", "x"])
def test_a_time_that_is_no_column_of_integers_is_refused(time: str) -> None:
    columns = {"key": np.arange(3), "x": np.arange(3.0)}
    with pytest.raises(ValueError, match=f"time must name one column of integers, and '{time}' does not"):
        TableSource(list(columns.values()), tuple(columns), time=time)
    with pytest.raises(OptionError, match="time must name one column of integers"):
        ArrowSource(pa.table(columns), time=time)
