"""What functions make of values at the ends of 64 bits, and of values that have no one type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from twins import NEEDS_NUMBA, WAYS

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

LEAST, MOST = -(1 << 63), (1 << 63) - 1
ENDS = [(a, b) for a in (LEAST, LEAST + 1, -5, -1, 1, 7, MOST - 1, MOST) for b in (LEAST, -3, -1, 1, 2, MOST)]


def appended(made: Any, *columns: Any) -> list[list[Any]]:
    """The columns that ``made`` appends."""
    pipeline = Pipeline([TableSource(list(columns), [f"c{k}" for k in range(len(columns))]), made, TableSink()])
    execute(pipeline, Options(engine="serial", unit=64))
    return [each.tolist() for each in pipeline.sink.rows()][len(columns) :]


def mapped(function: Callable[..., Any], numba: bool, types: dict[str, str]) -> Any:
    function.__name__ = "function"
    reads = [f"c{k}" for k in range(function.__code__.co_argcount)]
    return streambench.mapped(appends=types, reads=reads, numba=numba)(function)


def compared(a, b):  # type: ignore[no-untyped-def]
    def divided(x, y):  # type: ignore[no-untyped-def]
        return x // y

    return (
        (a + 1 > a)
        + 2 * (a - b < 0)
        + 4 * (a * b // b == a)
        + 8 * (-a < 0)
        + 16 * (a**2 < 0)
        + 32 * (abs(a - b) < 0)
        + 64 * (divided(a, b) < 0)  # type: ignore[no-untyped-call]
        + 128 * (a - 1 < a)
    )


def wrap(value: int) -> int:
    return (value - LEAST) % (1 << 64) + LEAST


def expected(a: int, b: int) -> int:
    difference = wrap(a - b)
    bits = (
        wrap(a + 1) > a,
        difference < 0,
        wrap(wrap(a * b) // b) == a,
        wrap(-a) < 0,
        wrap(a * a) < 0,
        wrap(abs(difference)) < 0,
        wrap(a // b) < 0,
        wrap(a - 1) < a,
    )
    return sum(bit << k for k, bit in enumerate(bits))


@pytest.mark.parametrize("numba", WAYS)
def test_comparisons_see_integers_that_have_wrapped(numba: bool) -> None:
    columns = [np.array(each) for each in zip(*ENDS, strict=True)]
    assert appended(mapped(compared, numba, {"to": "int64"}), *columns) == [[expected(a, b) for a, b in ENDS]]


@pytest.mark.parametrize("numba", WAYS)
def test_comparisons_of_arrays_see_integers_that_have_wrapped(numba: bool) -> None:
    @streambench.stateless(appends={"sums": "bool", "differences": "bool", "products": "bool"}, numba=numba)
    def function(c0, c1, sums, differences, products):  # type: ignore[no-untyped-def]
        sums[:] = c0 + 1 > c0
        differences[:] = c0 - c1 < 0
        products[:] = c0 * c1 // c1 == c0

    columns = [np.array(each) for each in zip(*ENDS, strict=True)]
    bits = [expected(a, b) for a, b in ENDS]
    assert appended(function, *columns) == [[bool(each >> k & 1) for each in bits] for k in range(3)]


@pytest.mark.parametrize("numba", WAYS)
def test_tuples_and_lists_are_still_joined(numba: bool) -> None:
    made = mapped(lambda a: len((a, 1) + (2,)) + len([a] + [a]), numba, {"to": "int64"})  # noqa: RUF005
    assert appended(made, np.array([7])) == [[5]]


ROWS: dict[str, tuple[Callable[..., Any], list[Any], str, Any]] = {
    "the sign of a truth value": (lambda a: math.copysign(a, a), [True], "float64", 1.0),
    "digits of the greatest number": (lambda a: round(a, 1), [1.7e308], "float64", 1.7e308),
    "a range that ends at the greatest": (lambda a: len(range(a, MOST, 2)), [MOST - 5], "int64", 3),
}


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("row", ROWS)
def test_ends_of_what_functions_take(numba: bool, row: str) -> None:
    function, values, kind, right = ROWS[row]
    assert appended(mapped(function, numba, {"to": kind}), np.array(values)) == [[right]]


def counted(a, b):  # type: ignore[no-untyped-def]
    n = 0
    for _ in range(a, b):
        n += 1
        if n > 3:
            break
    return n


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize(("a", "b"), [(LEAST, 0), (0, LEAST), (-2, MOST), (LEAST, MOST)])
def test_a_range_that_no_integer_counts_refuses_the_tuple(numba: bool, a: int, b: int) -> None:
    with pytest.raises(OperatorError, match="ends of a range lie further apart"):
        appended(mapped(counted, numba, {"to": "int64"}), np.array([a]), np.array([b]))


@pytest.mark.parametrize("numba", WAYS)
def test_no_integer_is_shifted_by_a_floating_point_number(numba: bool) -> None:
    with pytest.raises((OptionError, OperatorError), match=r"unsupported operand|there is no"):
        appended(mapped(lambda a, b: a << b, numba, {"to": "float64"}), np.array([1]), np.array([math.nan]))


def total(a):  # type: ignore[no-untyped-def]
    sum_ = 0
    for _ in range(a):
        sum_ += 0.5  # type: ignore[assignment]
    return sum_


def either(a):  # type: ignore[no-untyped-def]
    divisor = 0 if a > 1 else 0.5
    return 1 // divisor


def inverse(a):  # type: ignore[no-untyped-def]
    hot = a > 3
    if a < 0:
        hot = 7
    return ~hot


@pytest.mark.parametrize("numba", WAYS)
def test_a_value_of_several_types_is_returned_as_its_column_has_it(numba: bool) -> None:
    made = mapped(lambda a: (a * 0.5 if a > 3 else 0, a), numba, {"to": "float64", "next": "int64"})
    assert appended(made, np.array([2, 5])) == [[0.0, 2.5], [2, 5]]


@NEEDS_NUMBA
@pytest.mark.parametrize("function", [total, either, inverse, lambda a: [a, 0.5][0] // 0])
def test_numba_refuses_a_variable_of_several_types(function: Callable[..., Any]) -> None:
    with pytest.raises(OptionError, match="give it one type"):
        appended(mapped(function, True, {"to": "float64"}), np.array([2]))


@pytest.mark.parametrize("numba", WAYS)
def test_an_assignment_with_an_operator_changes_the_array(numba: bool) -> None:
    @streambench.stateless(appends={"to": "int64", "narrow": "int16"}, reads="c0", numba=numba)
    def function(celsius, to, narrow):  # type: ignore[no-untyped-def]
        to[:] = celsius
        to += 5
        to *= 3
        to //= 2
        later = to[1:]
        later -= celsius[0]
        narrow[:] = 1
        narrow <<= 3
        narrow |= 1
        narrow **= 2

    assert appended(function, np.array([1, 2, 5])) == [[9, 9, 14], [81, 81, 81]]


@pytest.mark.parametrize("numba", WAYS)
def test_an_array_of_integers_does_not_take_floats_by_an_operator(numba: bool) -> None:
    @streambench.stateless(appends="to", reads="c0", numba=numba)
    def function(celsius, to):  # type: ignore[no-untyped-def]
        to[:] = celsius
        to += 0.5

    told = "by values that it cannot hold" if numba else "an array of integers is given"
    with pytest.raises((OptionError, OperatorError), match=told):
        appended(function, np.array([1]))


@pytest.mark.parametrize("numba", WAYS)
def test_an_integer_of_thousands_of_digits_is_told_by_its_bits(numba: bool) -> None:
    beyond = 10**5000
    with pytest.raises(OptionError, match="function has an integer of 16610 bits"):
        appended(mapped(lambda a: a + beyond, numba, {"to": "int64"}), np.array([1]))


def unchanged(state, c0):  # type: ignore[no-untyped-def]
    return c0


def test_a_state_without_a_byte_is_refused() -> None:
    with pytest.raises(OptionError, match="a state is a record of numbers"):
        streambench.keyed(key="c0", state=[("none", "int64", 0)], appends="to")(unchanged)


@NEEDS_NUMBA
@pytest.mark.parametrize("field", [("hot", "bool", 4), ("raw", "V4")])
def test_a_state_that_numba_has_no_type_for_is_refused(field: Any) -> None:
    made = streambench.keyed(key="c0", state=[field], appends="to", numba=True)(unchanged)
    with pytest.raises(OptionError, match="it has no type for a state of"):
        appended(made, np.array([1]))
