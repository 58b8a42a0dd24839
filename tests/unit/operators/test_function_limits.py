"""What functions may be given and may return, and what the user reads where they may not."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from twins import WAYS

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource


def appended(made: Any, *columns: Any) -> list[list[Any]]:
    """The columns that ``made`` appends."""
    pipeline = Pipeline([TableSource(list(columns), [f"c{k}" for k in range(len(columns))]), made, TableSink()])
    execute(pipeline, Options(engine="serial", unit=64))
    return [each.tolist() for each in pipeline.sink.rows()][len(columns) :]


def function_of(reads: int, writes: int, leading: str = "") -> Callable[..., Any]:
    """A function of ``reads`` values that returns ``writes`` of them, the last first."""
    names: dict[str, Any] = {}
    parameters = [f"c{k}" for k in range(reads)]
    values = ", ".join(parameters[::-1][:writes])
    exec(f"def chosen({leading}{', '.join(parameters)}):\n    return {values}", names)
    return names["chosen"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize(("reads", "writes"), [(31, 1), (16, 16), (32, 32)])
def test_a_function_has_as_many_columns_as_a_tuple(numba: bool, reads: int, writes: int) -> None:
    appends = [f"to{k}" for k in range(writes)]
    made = streambench.mapped(appends=appends, numba=numba)(function_of(reads, writes))
    assert appended(made, *(np.array([k]) for k in range(reads))) == [[reads - 1 - k] for k in range(writes)]


@pytest.mark.parametrize("numba", WAYS)
def test_a_keyed_function_has_as_many_columns_as_a_tuple(numba: bool) -> None:
    appends = [f"to{k}" for k in range(14)]
    keyed = streambench.keyed(key="c0", state=[("n", "int64")], appends=appends, numba=numba)
    made = keyed(function_of(14, 14, "state, "))
    assert appended(made, *(np.array([k]) for k in range(14))) == [[13 - k] for k in range(14)]


def refused(celsius):  # type: ignore[no-untyped-def]
    if celsius > 50:
        raise ValueError("too hot to be true")  # the user's own line
    return celsius


def in_arrays(celsius, to):  # type: ignore[no-untyped-def]
    for i in range(len(celsius)):
        to[i] = refused(celsius[i]) if False else celsius[i]
        if celsius[i] > 50:
            raise ValueError("too hot to be true")  # the user's own line


def by_key(state, celsius):  # type: ignore[no-untyped-def]
    if celsius > 50:
        raise ValueError("too hot to be true")  # the user's own line
    return celsius


KINDS: dict[str, Callable[[bool], Any]] = {
    "mapped": lambda numba: streambench.mapped(appends="to", reads="c0", numba=numba)(refused),
    "stateless": lambda numba: streambench.stateless(appends="to", reads="c0", numba=numba)(in_arrays),
    "keyed": lambda numba: streambench.keyed(key="c0", state=[("n", "int64")], appends="to", reads="c0", numba=numba)(
        by_key
    ),
}


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_cause_of_a_refusal_shows_the_line_that_raised(numba: bool, kind: str) -> None:
    with pytest.raises(OperatorError) as raised:
        appended(KINDS[kind](numba), np.array([20, 60]))
    assert isinstance(raised.value.__cause__, ValueError)
    assert "the user's own line" in "".join(traceback.format_exception(raised.value.__cause__))


def test_an_exception_without_a_text_refuses_its_own_tuple() -> None:
    problem = ValueError(10**5000)  # Python spells no integer of so many digits

    @streambench.stateless(appends="to", reads="c0", numba=False)
    def endless(celsius, to):  # type: ignore[no-untyped-def]
        if 60 in celsius:
            raise problem

    with pytest.raises(OperatorError, match=r"serial number 1, counted from 0 \(c0=60\): ValueError; all before"):
        appended(endless, np.array([20, 60]))


ROWS: dict[str, tuple[Callable[[Any], Any], Any, str, Any]] = {
    "days of a date32": (lambda day: day * 86400, np.array([30000], np.int32), "int64", 2592000000),
    "int8 through greater values": (lambda celsius: celsius * 9 // 5 + 32, np.array([20], np.int8), "int64", 68),
    "uint32 below zero": (lambda a: a - 2, np.array([1], np.uint32), "int64", -1),
    "truth values in a sum": (lambda a: a + a, np.array([True]), "int64", 2),
    "float32 in double precision": (
        lambda a: a * a,
        np.array([0.1], np.float32),
        "float64",
        float(np.float32(0.1)) ** 2,
    ),
    "the least by -1": (lambda a: a // -1, np.array([-(1 << 63)]), "int64", -(1 << 63)),
    "a root of a negative number": (lambda a: 1.0 if math.isnan(math.sqrt(a)) else 0.0, np.array([-1]), "float64", 1.0),
}


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("row", ROWS)
def test_values_are_widened_before_a_function_has_them(numba: bool, row: str) -> None:
    function, column, kind, expected = ROWS[row]
    function.__name__ = "row"
    made = streambench.mapped(appends={"to": kind}, reads="c0", numba=numba)(function)
    assert appended(made, column) == [[expected]]


REFUSED: dict[str, tuple[Callable[[Any], Any], Any, str, str]] = {
    "int8": (lambda a: a + 0, np.array([300]), "int8", "column to of int8 cannot take 300"),
    "uint64": (lambda a: a // 2, np.array([(1 << 63) + 1], np.uint64), "int64", "column c0 of uint64 holds"),
    "power": (lambda a: a**-a, np.array([2]), "int64", "negative integer powers"),
    "integer": (lambda a: int(a * 1e300), np.array([2]), "int64", "no 64-bit integer"),
}


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("row", REFUSED)
def test_what_has_no_right_value_refuses_the_tuple(numba: bool, row: str) -> None:
    function, column, kind, reason = REFUSED[row]
    function.__name__ = "row"
    made = streambench.mapped(appends={"to": kind}, reads="c0", numba=numba)(function)
    with pytest.raises(OperatorError, match=reason):
        appended(made, column)


@pytest.mark.parametrize("numba", WAYS)
def test_arrays_compute_as_values_do(numba: bool) -> None:
    @streambench.stateless(appends=("fahrenheit", "left", "power"), reads="c0", numba=numba)
    def converted(celsius, fahrenheit, left, power):  # type: ignore[no-untyped-def]
        fahrenheit[:] = celsius * 9 // 5 + 32
        left[:] = celsius
        left //= celsius - 20
        power[:] = (-(celsius > 0)) % 5 + celsius**3

    assert appended(converted, np.array([20, 100, -128], np.int8)) == [
        [68, 212, -199],
        [0, 1, 0],
        [8004, 1000004, -2097152],
    ]


@pytest.mark.parametrize("numba", WAYS)
def test_arrays_of_truth_values_are_not_summed(numba: bool) -> None:
    @streambench.stateless(appends="both", reads="c0", numba=numba)
    def counted(celsius, both):  # type: ignore[no-untyped-def]
        both[:] = (celsius > 0) + (celsius > 10)

    with pytest.raises((OptionError, OperatorError), match="two arrays of truth values have no sum"):
        appended(counted, np.array([20]))


def test_a_function_without_a_decorator_is_no_operator() -> None:
    with pytest.raises(OptionError, match="write a decorator above refused"):
        appended(refused, np.array([20]))


def test_a_state_that_is_no_record_is_told_in_one_sentence() -> None:
    with pytest.raises(OptionError, match="state is no NumPy dtype"):
        streambench.keyed(key="c0", state={"total": "int64"}, appends="to")(by_key)
