"""Functions compute as the table of `docs/writing-operators.md` says, with Numba and without."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import NEEDS_NUMBA

import streambench
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

SERIAL = Options(engine="serial", unit=64)
LEAST, MOST = -(1 << 63), (1 << 63) - 1
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")


def run(made: Any, *columns: Any) -> list[list[Any]]:
    """The columns that ``made`` appends or emits."""
    names = [f"c{k}" for k in range(len(columns))]
    pipeline = Pipeline([TableSource(list(columns), names), made, TableSink()])
    execute(pipeline, SERIAL)
    rows = [each.tolist() for each in pipeline.sink.rows()]
    return rows[len(columns) :] if made.in_place else rows


def integers_of(a, b):  # type: ignore[no-untyped-def]
    sum_, shifted = a, a
    for _ in range(3):
        sum_ += b
        shifted = shifted * 31 + b
    return (
        a + b,
        a - b,
        a * b,
        a // b,
        a % b,
        a << b,
        a >> b,
        a & b,
        a | b,
        a ^ b,
        ~a + 0,
        -a,
        abs(a) + 0,
        min(a, b) + 0,
        max(a, b) + 0,
        int(a),
        round(a),
        a ** abs(b % 70),
        sum_,
        shifted,
        divmod(a, b)[1],
        (a < b) + (a == b) + (a >= b),
        b if a and b else -1,
        int(not a) - int(bool(b)),
    )


def floats_of(a, b):  # type: ignore[no-untyped-def]
    x, y = float(a), float(b)
    return (
        a / b,
        x + b,
        a - y,
        x * b,
        a // y,
        x % b,
        x**2,
        math.pow(x, y),
        abs(x),
        -x,
        min(x, b),
        max(a, y),
        math.sqrt(a),
        math.fabs(b),
        math.copysign(x, y),
        (x if a > b else y) * 0.5,
        float(x < b) + float(a != y) + float(math.isnan(x)),
        math.fmod(x, y),
    )


N_INTEGERS, N_FLOATS = 24, 18


def wrap(value: int) -> int:
    return (value - LEAST) % (1 << 64) + LEAST


def expected_integers(a: int, b: int, flags: bool) -> list[int]:
    a_bits = [a & b, a | b, a ^ b]
    inverse = int(not a) if flags else ~a
    shifted = a
    for _ in range(3):
        shifted = shifted * 31 + b
    made = [
        a + b,
        a - b,
        a * b,
        a // b if b else 0,
        a % b if b else 0,
        a << b if 0 <= b < 64 else 0,
        a >> b if 0 <= b < 64 else -(a < 0),
        *a_bits,
        inverse,
        -a,
        abs(a),
        min(a, b),
        max(a, b),
        a,
        a,
        a ** abs(b % 70),
        a + 3 * b,
        shifted,
        a % b if b else 0,
        (a < b) + (a == b) + (a >= b),
        b if a and b else -1,
        (not a) - bool(b),
    ]
    return [wrap(int(each)) for each in made]


def expected_floats(a: Any, b: Any) -> list[float]:
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        made = [
            x / y,
            x + y,
            x - y,
            x * y,
            np.floor_divide(x, y),
            np.remainder(x, y),
            x * x,
            _power(float(x), float(y)),
        ]
        made += [abs(x), -x, y if y < x else x, y if y > x else x, np.sqrt(x), abs(y), np.copysign(x, y)]
        made += [(x if x > y else y) * 0.5, (x < y) * 1.0 + (x != y) * 1.0 + np.isnan(x), np.fmod(x, y)]
        return [float(each) for each in made]


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    except ValueError:
        if x == 0:  # to a negative power
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan


def edges(dtype: str) -> list[Any]:
    if dtype == "bool":
        return [False, True]
    if dtype in FLOATS:
        info = np.finfo(dtype)
        small = [float(info.smallest_subnormal), float(info.tiny), float(info.max), float(info.min)]
        return [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -7.0, math.nan, math.inf, -math.inf, *small]
    least, most = int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), MOST)
    return sorted({max(least, -1), max(least, -7), least, most, 0, 1, 2, 3, 63, 64 if most > 64 else 5, most - 1})


def drawn(dtype: str) -> st.SearchStrategy[Any]:
    if dtype == "bool":
        return st.booleans()
    if dtype in FLOATS:
        return st.floats(width=32 if dtype == "float32" else 64)
    return st.integers(int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), MOST))


def same(one: Any, other: Any) -> bool:
    """The same number, to the sign of zero; any nan is nan."""
    return (one == other and math.copysign(1, one) == math.copysign(1, other)) or (one != one and other != other)


made_integers = {
    numba: streambench.mapped(appends=[f"i{k}" for k in range(N_INTEGERS)], reads=("c0", "c1"), numba=numba)(
        integers_of
    )
    for numba in (False, None)
}
made_floats = {
    numba: streambench.mapped(appends={f"f{k}": "float64" for k in range(N_FLOATS)}, reads=("c0", "c1"), numba=numba)(
        floats_of
    )
    for numba in (False, None)
}
PAIRS = [
    ("int8", "int64"),
    ("uint32", "int64"),
    ("int64", "int64"),
    ("bool", "int64"),
    ("bool", "bool"),
    ("uint64", "int16"),
]
FLOAT_PAIRS = [("int64", "float64"), ("float32", "float64"), ("bool", "float32"), ("int32", "uint64")]


def compare(
    made: Any, expected: Callable[..., list[Any]], types: tuple[str, str], pairs: list[tuple[Any, Any]]
) -> None:
    columns = [np.array(each, dtype=dtype) for each, dtype in zip(zip(*pairs, strict=True), types, strict=True)]
    rows = zip(*run(made, *columns), strict=True)
    for a, b, got in zip(columns[0].tolist(), columns[1].tolist(), rows, strict=True):
        wanted = expected(a, b)
        wrong = [
            (k, one, other) for k, (one, other) in enumerate(zip(got, wanted, strict=True)) if not same(one, other)
        ]
        assert not wrong, (types, a, b, wrong)


@pytest.mark.parametrize("types", PAIRS, ids="-".join)
@pytest.mark.parametrize("numba", [False, pytest.param(None, marks=NEEDS_NUMBA)])
def test_integers_and_flags_wrap_at_64_bits_at_the_edges(numba: Any, types: tuple[str, str]) -> None:
    flags = types == ("bool", "bool")
    pairs = list(itertools.product(edges(types[0]), edges(types[1])))
    compare(made_integers[numba], lambda a, b: expected_integers(int(a), int(b), types[0] == "bool"), types, pairs)
    assert flags or len(pairs) > 20


@pytest.mark.parametrize("types", FLOAT_PAIRS, ids="-".join)
@pytest.mark.parametrize("numba", [False, pytest.param(None, marks=NEEDS_NUMBA)])
def test_floats_are_ieee_754_of_64_bits_at_the_edges(numba: Any, types: tuple[str, str]) -> None:
    pairs = list(itertools.product(edges(types[0]), edges(types[1])))
    compare(made_floats[numba], expected_floats, types, pairs)


@NEEDS_NUMBA
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_both_ways_give_what_the_table_says_of_any_values(data: st.DataObject) -> None:
    of_floats = data.draw(st.booleans())
    types = data.draw(st.sampled_from(FLOAT_PAIRS if of_floats else PAIRS))
    pairs = data.draw(st.lists(st.tuples(drawn(types[0]), drawn(types[1])), min_size=1, max_size=20))
    for numba in (False, None):
        if of_floats:
            compare(made_floats[numba], expected_floats, types, pairs)
        else:
            compare(
                made_integers[numba], lambda a, b: expected_integers(int(a), int(b), types[0] == "bool"), types, pairs
            )
