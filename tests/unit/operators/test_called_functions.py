"""Functions that an operator's function calls have its arithmetic, with Numba and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

MOST = 2**63 - 1
VALUES = [0, 1, -7, 2**62, MOST, -MOST - 1]


def wrapped(value: int) -> int:
    return (value + MOST + 1) % 2**64 - MOST - 1


def doubled(x):  # type: ignore[no-untyped-def]
    return x * 2


def fourfold(x):  # type: ignore[no-untyped-def]
    return doubled(doubled(x))


def divided_by_zero(x, zero=0):  # type: ignore[no-untyped-def]
    return x // zero


def endless(x):  # type: ignore[no-untyped-def]
    return endless(x)


def refuses_seven(x):  # type: ignore[no-untyped-def]
    if x == -7:
        raise ValueError("seven")
    return x


def emitted(decorated: Any) -> list[int]:
    pipeline = streambench.Pipeline([TableSource([np.array(VALUES)], ["a"]), decorated, TableSink()])
    pipeline.run(workers=2)
    return list(pipeline.sink.rows()[0].tolist())


def calls(function: Callable[..., Any], numba: bool) -> Any:
    @streambench.mapped(emits="b", numba=numba)
    def operator(a):  # type: ignore[no-untyped-def]
        return function(a)

    return operator


@pytest.mark.parametrize("numba", [True, False])
@pytest.mark.parametrize(
    ("function", "right"),
    [
        (doubled, lambda x: wrapped(2 * x)),
        (fourfold, lambda x: wrapped(4 * x)),
        (divided_by_zero, lambda x: 0),
        (lambda x: doubled(x) - 1, lambda x: wrapped(2 * x - 1)),
    ],
)
def test_a_called_function_wraps_as_the_operators_own(
    function: Callable[..., Any], right: Callable[[int], int], numba: bool
) -> None:
    assert emitted(calls(function, numba)) == [right(each) for each in VALUES]


@pytest.mark.parametrize("numba", [True, False])
def test_a_called_function_of_arrays_wraps(numba: bool) -> None:
    @streambench.stateless(emits="b", numba=numba)
    def operator(a, b):  # type: ignore[no-untyped-def]
        b[:] = fourfold(a)

    assert emitted(operator) == [wrapped(4 * each) for each in VALUES]


def test_what_numba_decorates_has_the_operators_arithmetic() -> None:
    numba = pytest.importorskip("numba")
    distance = numba.njit(lambda a, b: abs(a - b))

    @streambench.mapped(emits="b")
    def operator(a):  # type: ignore[no-untyped-def]
        return distance(a, -1)

    assert emitted(operator) == [wrapped(abs(wrapped(each + 1))) for each in VALUES]


@pytest.mark.parametrize("numba", [True, False])
def test_a_function_that_calls_itself_is_refused(numba: bool) -> None:
    with pytest.raises(OptionError, match="operator operator calls endless, which calls itself: write a loop"):
        emitted(calls(endless, numba))


@pytest.mark.parametrize("numba", [True, False])
def test_a_called_functions_exception_refuses_the_tuple(numba: bool) -> None:
    with pytest.raises(OperatorError, match=r"serial number 2, .*: ValueError: seven"):
        emitted(calls(refuses_seven, numba))


@pytest.mark.parametrize("numba", [True, False])
def test_a_states_field_has_a_place(numba: bool) -> None:
    @streambench.keyed(key="a", state=[("first", "int64"), ("second", "int64")], emits="b", numba=numba)
    def operator(state, a):  # type: ignore[no-untyped-def]
        state[1] = a
        return state.second - state[0]

    assert emitted(operator) == VALUES


def stores_a_half(state, a):  # type: ignore[no-untyped-def]
    state[0] = 0.5
    return a


def reads_no_field(state, a):  # type: ignore[no-untyped-def]
    return state.missing


@pytest.mark.parametrize(
    ("function", "numba", "told"),
    [
        (stores_a_half, True, "integers are given a floating point number"),
        (stores_a_half, False, r"field count of integers is given 0\.5"),
        (reads_no_field, True, "the state has no field 'missing'"),
        (reads_no_field, False, "the state has no field missing: it has count"),
    ],
)
def test_what_a_state_cannot_do_is_told(function: Callable[..., Any], numba: bool, told: str) -> None:
    operator = streambench.keyed(key="a", state=[("count", "int64")], emits="b", numba=numba)(function)
    with pytest.raises((OptionError, OperatorError), match=told):
        emitted(operator)
