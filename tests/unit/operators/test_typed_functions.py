"""Functions over columns of any type: they read what they are given and write what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import streambench
from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

KEYS = (np.arange(300) * 7 % 11).astype(np.int8)
VALUES = np.linspace(-3, 4, 300, dtype=np.float32)
FLAGS = np.arange(300) % 3 == 0


def run(operators: list[Any], **options: Any) -> list[Any]:
    source = TableSource([KEYS, VALUES, FLAGS], ("key", "value", "flag"))
    pipeline = Pipeline([source, *operators, TableSink()])
    execute(pipeline, Options(**{"pin": False, "unit": 40, **options}))
    rows: list[Any] = pipeline.sink.rows()
    return rows


@pytest.fixture(params=[False, True], ids=["under the GIL", "compiled"])
def numba(request: pytest.FixtureRequest) -> bool:
    if request.param:
        pytest.importorskip("numba")
    return bool(request.param)


@pytest.mark.parametrize("options", [{"engine": "serial"}, {"workers": 3, "plan": "sharded"}, {"engine": "schemes"}])
def test_types_go_in_and_out_as_they_are_said(numba: bool, options: dict[str, Any]) -> None:
    @streambench.stateless(emits={"key": "int8", "half": "float32", "flag": "bool"}, numba=numba)
    def halved(key, value, flag, to_key, half, to_flag):  # type: ignore[no-untyped-def]
        to_key[:] = key
        half[:] = value / 2
        to_flag[:] = ~flag

    @streambench.keyed(key="key", state=[("total", "float64")], appends={"so_far": "float64"}, numba=numba)
    def summed(state, half):  # type: ignore[no-untyped-def]
        state.total += half
        return state.total

    key, half, flag, so_far = run([halved, summed], **options)
    assert [each.dtype.name for each in (key, half, flag, so_far)] == ["int8", "float32", "bool", "float64"]
    assert np.array_equal(key, KEYS)
    assert np.array_equal(half, VALUES / 2)
    assert np.array_equal(flag, ~FLAGS)
    sums: dict[int, float] = {}
    for one, add, found in zip(key.tolist(), half.tolist(), so_far.tolist(), strict=True):
        sums[one] = sums.get(one, 0.0) + add
        assert found == sums[one]


def test_a_type_that_is_none_is_refused_where_it_is_written() -> None:
    with pytest.raises(OptionError, match="operator wrong, column x: there is no type 'decimal'"):

        @streambench.stateless(emits={"x": "decimal"})
        def wrong(value, x):  # type: ignore[no-untyped-def]
            x[:] = value
