"""A keyed function's key may be several columns, of any types: each combination of bits has a state of its own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import WAYS

import streambench
from streambench.errors import OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

KEYS = [
    ("real",),
    ("raw",),
    ("real", "small"),
    ("long", "raw", "flag"),
    ("single", "long"),
    ("small", "long"),
    ("long",),
]
NANS = np.array([0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
WAYS_TO_RUN: list[dict[str, Any]] = [
    {"engine": "serial", "unit": 1},
    {"engine": "serial", "unit": 5000},
    {"workers": 3, "unit": 7, "plan": "sharded", "partitions": 5},
    {"workers": 2, "unit": 300, "plan": "whole"},
    {"workers": 2, "unit": 64, "heuristic": "lp"},
    {"engine": "schemes", "workers": 2, "unit": 50},
]


def table(n: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "long": random.choice(np.array([-(1 << 63), (1 << 63) - 1, 0, 1, -1, 1 << 40]), n),
        "real": random.choice(np.array([*NANS, 0.0, -0.0, np.inf, 5e-324]), n),
        "single": random.choice(np.array([0.0, -0.0, np.nan, 3.5], np.float32), n),
        "small": random.integers(-2, 2, n).astype(np.int8),
        "flag": random.integers(0, 2, n) == 1,
        "raw": np.frombuffer(bytes(19) + bytes(range(9)) * 20 + b"x", "V20")[random.integers(0, 9, n)],
        "value": random.integers(0, 100, n),
    }


@functools.cache
def summed(key: tuple[str, ...], numba: bool) -> Any:
    @streambench.keyed(key=key, state=[("total", "int64"), ("count", "int64")], appends=("sum", "nth"), numba=numba)
    def total(state, value):  # type: ignore[no-untyped-def]
        state.total += value
        state.count += 1
        return state.total, state.count

    return total


@pytest.mark.parametrize("numba", WAYS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=st.sampled_from(KEYS),
    n=st.sampled_from([0, 1, 200, 900]),
    options=st.sampled_from(WAYS_TO_RUN),
    seed=st.integers(0, 99),
)
def test_each_key_has_a_state_of_its_own(
    numba: bool, key: tuple[str, ...], n: int, options: dict[str, Any], seed: int
) -> None:
    columns = table(n, seed)
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), summed(key, numba), TableSink()])
    execute(pipeline, Options(pin=False, **options))
    states: dict[bytes, tuple[int, int]] = {}
    expected = []
    for i in range(n):
        bits = b"".join(columns[each][i].tobytes() for each in key)
        total, count = states.get(bits, (0, 0))
        states[bits] = total + int(columns["value"][i]), count + 1
        expected.append(states[bits])
    assert list(zip(*(each.tolist() for each in pipeline.sink.rows()[-2:]), strict=True)) == expected


def stirred(mixed: int, word: int) -> int:
    mixed = (mixed ^ word) * 0x9E3779B97F4A7C15 % 2**64
    return mixed ^ mixed >> 29


@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_keys_with_the_same_hash_have_states_of_their_own(options: dict[str, Any]) -> None:
    first = np.arange(50, dtype=np.uint64)
    second = np.array([stirred(0, int(each)) for each in first], np.uint64)  # all pairs end in the hash of 0
    order = np.random.default_rng(1).integers(0, 50, 400)
    columns = [first[order].view(np.int64), second[order].view(np.int64), np.ones(400, np.int64)]
    pipeline = Pipeline([TableSource(columns, ("a", "b", "value")), summed(("a", "b"), False), TableSink()])
    execute(pipeline, Options(pin=False, **options))
    seen = [0] * 50
    expected = []
    for each in order:
        seen[each] += 1
        expected.append(seen[each])
    assert pipeline.sink.rows()[-1].tolist() == expected


@pytest.mark.parametrize("numba", WAYS)
def test_texts_are_keys_with_other_columns(numba: bool) -> None:
    visits = pa.table(
        {"page": ["a", None, "a", "b", None], "user": ["x", "x", "y", "x", "x"], "value": [1, 2, 3, 4, 5]}
    )
    source = streambench.ArrowSource(visits)
    pipeline = Pipeline([source, summed(("page", "user"), numba), TableSink()])
    pipeline.run(workers=2)
    assert pipeline.sink.rows()[-2].tolist() == [1, 2, 3, 4, 7]


COUNTED: dict[str, Any] = {"state": [("n", "int64")], "emits": "n", "numba": False}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"key": ("a", "a")}, "key names the column of the key, or several, each once"),
        ({"key": ()}, "key names the column of the key, or several, each once"),
        (
            {"key": ("a", "b"), "high_key": 9},
            "low_key and high_key are of a key that is one column of integers, not a int64",
        ),
        (
            {"key": "b", "low_key": -9},
            "low_key and high_key are of a key that is one column of integers, not b float64",
        ),
    ],
)
def test_what_a_key_cannot_be_is_told(options: dict[str, Any], sentence: str) -> None:
    source = TableSource([np.arange(3), np.arange(3) / 2], ("a", "b"))
    with pytest.raises(OptionError, match=sentence):
        Pipeline([source, streambench.keyed(**options, **COUNTED)(lambda state, a: a), TableSink()])
