"""What a sink keeps is an Arrow table in the sink's own memory, which outlives the sink."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TYPES = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)] + ["float32", "float64", "bool", "V20"]


def filled(columns: list[Any], names: list[str], **options: Any) -> TableSink:
    sink = TableSink()
    execute(Pipeline([TableSource(columns, names), sink]), Options(**{"pin": False, "engine": "serial", **options}))
    return sink


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_a_column_of_every_type_is_the_sinks(kind: str, rows: int) -> None:
    size = np.dtype(kind).itemsize
    values = np.random.default_rng(1).integers(0, 2 if kind == "bool" else 256, rows * size, dtype=np.uint8).view(kind)
    sink = filled([values], ["a"], unit=64)
    table = sink.to_arrow()
    table.validate(full=True)
    column = table.column("a").chunk(0)
    wanted = {"bool": pa.bool_(), "V20": pa.binary(20)}.get(kind)
    assert column.type == (wanted or pa.from_numpy_dtype(np.dtype(kind)))
    assert [None if each != each else each for each in column.to_pylist()] == [
        None if each != each else each for each in values.tolist()
    ]
    again = sink.to_arrow().column("a").chunk(0)
    if rows and kind != "bool":
        assert again.buffers()[1].address == column.buffers()[1].address, "nothing was copied"


def test_the_table_outlives_the_sink_and_what_the_sink_is_given_later() -> None:
    sink = filled([np.arange(5000)], ["a"])
    table = sink.to_arrow()
    execute(Pipeline([TableSource([np.zeros(100_000)], ["b"]), sink]), Options(pin=False, engine="serial"))
    assert sink.to_arrow().column_names == ["b"]
    del sink
    gc.collect()
    assert table.column("a").to_pylist() == list(range(5000))


def test_columns_that_are_called_alike_are_told_apart() -> None:
    assert filled([[1], [2], [3]], ["a", "b", "a"]).to_arrow().to_pydict() == {"a (0)": [1], "b": [2], "a (2)": [3]}


def test_sentinels_become_nulls() -> None:
    columns = [
        [1, -1, 2],
        np.array([0.5, np.nan, -1.0]),
        np.array([True, False, True]),
        np.array([1, 255, 3], np.uint8),
    ]
    sink = filled(columns, ["a", "f", "b", "u"])
    for nulls, wanted in (
        ({"a": -1, "u": 255}, {"a": [1, None, 2], "u": [1, None, 3]}),
        ({"f": float("nan"), "b": False}, {"f": [0.5, None, -1.0], "b": [True, None, True]}),
        (-1, {"a": [1, None, 2], "u": [1, 255, 3], "b": [True, False, True]}),
    ):
        table = sink.to_arrow(nulls)
        table.validate(full=True)
        assert {name: table.column(name).to_pylist() for name in wanted} == wanted
    plain, with_nulls = (sink.to_arrow(nulls).column("a").chunk(0) for nulls in (None, {"a": -1}))
    assert plain.buffers()[1].address == with_nulls.buffers()[1].address, "only the bits are new"
    with pytest.raises(ValueError, match=r"column u is uint8 and cannot hold -1 for null"):
        sink.to_arrow({"u": -1})


def test_a_sink_that_keeps_nothing_gives_no_table() -> None:
    sink = TableSink(keep=False)
    execute(Pipeline([TableSource([[1]], ["a"]), sink]), Options(pin=False, engine="serial"))
    for asked in (sink.to_arrow, sink.rows, sink.__arrow_c_stream__):
        with pytest.raises(ValueError, match="not asked to keep"):
            asked()
