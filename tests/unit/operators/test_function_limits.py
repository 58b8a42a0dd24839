"""What functions may be given and may return, and what the user reads where they may not."""

from __future__ import annotations

import dis
import math
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from twins import MUCH_TO_COMPILE, WAYS

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.operators.long_tuples import with_long_tuples
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
@pytest.mark.parametrize(("reads", "writes"), [(31, 1), (32, 32)])
def test_a_function_has_as_many_columns_as_a_tuple(numba: bool, reads: int, writes: int) -> None:
    appends = [f"to{k}" for k in range(writes)]
    made = streambench.mapped(appends=appends, numba=numba)(function_of(reads, writes))
    assert appended(made, *(np.array([k]) for k in range(reads))) == [[reads - 1 - k] for k in range(writes)]


WIDE = [np.int8, np.float32, np.bool_, np.int64, np.uint16, np.float64, np.uint64, np.int32] * 8


def arrays_of(width: int, leading: str = "") -> Callable[..., Any]:
    """A function of arrays that writes those that it reads, the last first."""
    read, written = ([f"{name}{k}" for k in range(width)] for name in ("c", "to"))
    body = "".join(f"    to{k}[:] = c{width - 1 - k}\n" for k in range(width))
    names: dict[str, Any] = {}
    exec(f"def chosen({leading}{', '.join([*read, *written])}):\n{body}", names)
    return names["chosen"]  # type: ignore[no-any-return]


SIXTY_FOUR: dict[str, Callable[..., Any]] = {
    "mapped": lambda **given: streambench.mapped(**given)(function_of(64, 64)),
    "keyed": lambda **given: streambench.keyed(key="c0", state=[("n", "int64")], **given)(
        function_of(64, 64, "state, ")
    ),
    "stateless": lambda **given: streambench.stateless(**given)(arrays_of(64)),
    "stateful": lambda **given: streambench.stateful(state=[("n", "int64")], **given)(arrays_of(64, "state, ")),
}


@pytest.mark.parametrize("kind", SIXTY_FOUR)
@pytest.mark.parametrize("numba", MUCH_TO_COMPILE)
def test_a_function_reads_64_columns_and_writes_64(numba: bool, kind: str) -> None:
    columns = [np.array([k % 2, 1]).astype(each) for k, each in enumerate(WIDE)]
    emits = {f"to{k}": np.dtype(each).name for k, each in enumerate(WIDE[::-1])}
    source = TableSource(columns, [f"c{k}" for k in range(64)])
    pipeline = Pipeline([source, SIXTY_FOUR[kind](emits=emits, numba=numba), TableSink()])
    execute(pipeline, Options(engine="serial", unit=64))
    rows = pipeline.sink.rows()
    assert [each.dtype for each in rows] == WIDE[::-1]
    assert [each.tolist() for each in rows] == [each.tolist() for each in columns[::-1]]


MANY = ", ".join(f"a * {k} if a > {k} else b" for k in range(40))
LONG_DISPLAYS = {
    "values by the way": f"return {MANY}",
    "a list of its own": f"xs = []\n    xs.append(a)\n    return {MANY}, xs[0]",
    "a list in the tuple": f"return {MANY}, [{MANY}], len([k for k in (a, b)]), [1, 2, 3], [*(a, b)]",
    "a tuple in the tuple": f"return {MANY}, ({MANY}), {MANY}",
    "a filter": f"return ({MANY}) if a > 5 else None",
    "two ways": f"if a > 5:\n        return {MANY}\n    for k in range(3):\n        b += k\n    return ({MANY}), b",
    "a call": f"return max({MANY}), max(*[{MANY}], a)",
    "few": "return a, b, [a], (a,)",
}


@pytest.mark.parametrize("display", LONG_DISPLAYS)
def test_a_tuple_built_at_once_has_the_same_values(display: str) -> None:
    names: dict[str, Any] = {}
    exec(f"def long(a, b):\n    {LONG_DISPLAYS[display]}", names)
    made = with_long_tuples(names["long"])
    assert [made(a, b) for a in (0, 6, 99) for b in (1, 2)] == [names["long"](a, b) for a in (0, 6, 99) for b in (1, 2)]
    assert (made is names["long"]) == (display == "few")
    assert sum("LIST_TO_TUPLE" in f"{each.opname}{each.argrepr}" for each in dis.get_instructions(made)) == (
        1 if display == "a call" else 0
    )


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


@pytest.mark.parametrize("numba", WAYS)
def test_fields_of_a_state_may_be_called_as_what_records_of_numpy_have(numba: bool) -> None:
    fields = ("sum", "mean", "min", "max", "size", "shape", "dtype", "fields", "data", "item", "copy", "T", "all")

    def last(state):  # type: ignore[no-untyped-def]
        return state.sum + state.size + state.dtype, state.T

    @streambench.keyed(
        key="c0", state=[(each, "int64") for each in fields], emits=("a", "b"), flush=last, initial={"size": 100},
        numba=numba,
    )  # fmt: skip
    def summed(state, c1):  # type: ignore[no-untyped-def]
        state.sum += c1
        state.dtype -= 1
        state.T = state.sum + state.mean
        state.max = max(state.max, c1)
        return state.max, state.all

    source = TableSource([np.array([1, 1, 2]), np.array([5, 3, 7])], ["c0", "c1"])
    pipeline = Pipeline([source, summed, TableSink()])
    execute(pipeline, Options(engine="serial"))
    assert [each.tolist() for each in pipeline.sink.rows()] == [[5, 5, 7, 106, 106], [0, 0, 0, 8, 7]]
