"""Aggregates of a user's own, compiled by Numba, in windows of every shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import streambench
from streambench import OptionError, Pipeline, TableSink, TableSource

pytest.importorskip("numba")
SHAPES: tuple[dict[str, Any], ...] = ({"size": 40}, {"size": 40, "step": 7}, {"gap": 3}, {"rows": 10, "step": 3})


def add(state: Any, value: Any) -> None:
    if state.n == 0 or value < state.low:
        state.low = value
    if state.n == 0 or value > state.high:
        state.high = value
    state.n += 1


def merge(state: Any, later: Any) -> None:
    if later.n > 0:
        if state.n == 0 or later.low < state.low:
            state.low = later.low
        if state.n == 0 or later.high > state.high:
            state.high = later.high
        state.n += later.n


def result(state: Any) -> Any:
    return state.high - state.low


def spread(kind: str, **changes: Any) -> Any:
    given: dict[str, Any] = {"state": [("n", "int64"), ("low", kind), ("high", kind)], "add": add, "merge": merge}
    return streambench.aggregate(**{**given, "result": result, "emits": kind, **changes})


def emitted(aggregates: dict[str, Any], kind: str, options: dict[str, Any], **how: Any) -> list[Any]:
    draw = np.random.default_rng(4)
    columns = [np.sort(draw.integers(0, 500, 900)), draw.integers(0, 9, 900), draw.integers(-99, 99, 900).astype(kind)]
    pipeline = Pipeline(
        [TableSource(columns, ("ts", "k", "v")), streambench.window(aggregates, **options), TableSink()]
    )
    pipeline.run(**how)
    return [column.tolist() for column in pipeline.sink.rows()]


@pytest.mark.parametrize("options", SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["int64", "float64"])
@pytest.mark.parametrize("by", [(), "k"])
def test_an_own_spread_is_the_difference_of_maximum_and_minimum(options: dict[str, Any], kind: str, by: Any) -> None:
    aggregates = {"spread": (spread(kind), "v"), "low": ("min", "v"), "high": ("max", "v")}
    for how in ({"engine": "serial"}, {"workers": 2, "partitions": 3, "plan": "auto", "unit": 17, "pin": False}):
        *_, spreads, low, high = emitted(aggregates, kind, {**options, "by": by}, **how)
        assert spreads == [b - a for a, b in zip(low, high, strict=True)]
        assert len(spreads) > 10


def test_nulls_are_left_out_and_no_value_is_the_state_of_zeros() -> None:
    columns = [np.array([1, 2, 3, 30]), np.array([5.0, math.nan, 9.0, math.nan])]
    made = streambench.window({"spread": (spread("float64"), "v")}, size=10)
    pipeline = Pipeline([TableSource(columns, ("ts", "v")), made, TableSink()])
    pipeline.run()
    assert pipeline.sink.rows()[2].tolist() == [4.0, 0.0]


def raising(state: Any, value: Any) -> None:
    if value > 5:
        raise ValueError("too much")
    state.n += 1


class Unhashable:
    __hash__ = None  # type: ignore[assignment]

    def __call__(self, state: Any, value: Any) -> None:
        state.n += 1


def unknown(state: Any, value: Any) -> None:
    state.missing = value


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"add": raising}, "raising may raise an exception"),
        ({"add": unknown}, "Numba cannot compile operator unknown"),
        ({"add": 5}, "is made of functions"),
        ({"add": Unhashable()}, "is made of functions, of which add="),
        ({"add": Unhashable}, "is made of functions, of which add="),
        ({"add": max}, "is made of functions, of which add=<built-in function max> is none"),
        ({"add": lambda *given: None}, "add= needs as parameters state, value, but <lambda> has *given"),
        ({"add": lambda state: None}, "add= needs as parameters state, value, but <lambda> has state"),
        ({"merge": lambda state, later, more: None}, "merge= needs as parameters state, later, but"),
        ({"result": lambda state, *, digits: 1}, "result= needs as parameters state, but <lambda> has state, digits"),
        ({"result": lambda: 1}, "result= needs as parameters state, but <lambda> has none"),
        ({"emits": "int8"}, "emits float64 or int64, not 'int8'"),
        ({"result": lambda state: None}, "return for each tuple a value"),
        ({"state": "int64"}, "a state is a record of numbers"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_an_own_aggregate_that_does_not_fit_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as problem:
        emitted({"spread": (spread("int64", **changes), "v")}, "int64", {"size": 5})
    assert words in str(problem.value)
