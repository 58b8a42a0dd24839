"""What the decorators refuse, in one sentence each, and what else is promised of a function that is decorated."""

from __future__ import annotations

import re
import sys
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
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

SERIAL = Options(engine="serial", unit=4)
STATE = [("total", "int64")]
Given = dict[str, Any]


def pipeline(*between: Any, n: int = 10) -> Pipeline:
    return Pipeline([TableSource((np.arange(n), np.arange(n) * 10), ("key", "value")), *between, TableSink()])


def two(value, to_value):  # type: ignore[no-untyped-def]
    to_value[:] = value


def keyed_two(state, value):  # type: ignore[no-untyped-def]
    return value


@pytest.mark.parametrize(
    ("decorate", "function", "options", "sentence"),
    [
        (streambench.stateless, two, {}, "operator two needs either emits=, its columns, or appends="),
        (
            streambench.stateless,
            two,
            {"emits": "a", "appends": "b"},
            "operator two needs either emits=, its columns, or",
        ),
        (
            streambench.stateless,
            two,
            {"emits": ("a", "b")},
            "operator two needs as parameters the columns to read, 2 to write (a, b), but has value, to_value.",
        ),
        (
            streambench.stateless,
            two,
            {"emits": "a", "reads": ("value", "key")},
            "operator two needs as parameters 2 columns to read (value, key), 1 to write (a), but has value, to_value.",
        ),
        (
            streambench.stateful,
            two,
            {"emits": "a", "state": STATE},
            "operator two needs as parameters the state, the columns to read, 1 to write (a), but has value, to_value.",
        ),
        (
            streambench.stateful,
            two,
            {"emits": "a", "state": "int64"},
            "operator two: a state is a record of numbers, not",
        ),
        (
            streambench.stateful,
            two,
            {"emits": "a", "state": [("a", "O")]},
            "operator two: a state is a record of numbers",
        ),
        (streambench.stateful, two, {"emits": "a", "state": "unknown"}, "operator two: state is no NumPy dtype ("),
        (
            streambench.stateful,
            two,
            {"emits": "a", "state": [("__class__", "int64")]},
            "operator two: a field of the state cannot be called __class__, as such names are Python's",
        ),
        (
            streambench.stateless,
            two,
            {"emits": "a", "most": 0},
            "operator two: most must be a number of outputs from 1",
        ),
        (
            streambench.stateless,
            two,
            {"appends": "a", "most": 2},
            "operator two appends to each tuple, so most can only",
        ),
    ],
)
def test_what_does_not_fit_a_function_is_told_when_it_is_decorated(
    decorate: Callable[..., Any], function: Callable[..., Any], options: Given, sentence: str
) -> None:
    with pytest.raises(OptionError, match=re.escape(sentence)):
        decorate(**options)(function)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (
            streambench.stateless(emits="a", reads="speed", numba=False)(two),
            "operator two reads a column speed, but TableSource before it emits key, value.",
        ),
        (
            streambench.keyed(emits="a", key="user", state=STATE, numba=False)(keyed_two),
            "operator keyed_two reads a column user, but TableSource before it emits key, value.",
        ),
        (
            streambench.stateless(appends="key", numba=False)(two),
            "operator two emits key, value, key: two columns cannot have one name.",
        ),
        (
            streambench.stateless(emits=[f"c{k}" for k in range(999)], reads=["key"] * 999, numba=False)(
                eval(f"lambda {', '.join(f'p{k}' for k in range(1998))}: 0")
            ),
            "operator <lambda>: at most",
        ),
    ],
    ids=["column", "key", "twice", "many"],
)
def test_what_does_not_fit_the_operator_before_is_told_when_the_pipeline_is_built(made: Any, sentence: str) -> None:
    with pytest.raises(OptionError, match=re.escape(sentence)):
        pipeline(made)


def test_a_function_in_the_place_of_a_source_is_refused_as_anything_else() -> None:
    with pytest.raises(OptionError, match="a pipeline starts with a Source"):
        Pipeline([streambench.stateless(emits="a", numba=False)(two), TableSink()])


def test_without_numba_it_is_said_how_to_get_it_to_who_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(OptionError, match=re.escape("pip install 'streambench[numba]'")):
        streambench.stateless(emits="a", numba=True)(two)
    plain = pipeline(streambench.stateless(emits="a")(two))
    execute(plain, SERIAL)
    assert plain.sink.rows()[0].tolist() == list(range(0, 100, 10))


@pytest.mark.parametrize("numba", WAYS)
def test_a_decorated_function_is_still_the_function(numba: bool) -> None:
    made = streambench.stateless(emits="a", numba=numba)(two)
    to = np.zeros(3, dtype=np.int64)
    made(np.arange(3), to)
    assert to.tolist() == [0, 1, 2]
    assert (made.__name__, made.__module__) == ("two", two.__module__)


@pytest.mark.parametrize("numba", MUCH_TO_COMPILE)
def test_every_pipeline_has_a_state_of_its_own(numba: bool) -> None:
    @streambench.stateful(state=STATE, emits="total", numba=numba)
    def total(state, value, to_total):  # type: ignore[no-untyped-def]
        for i in range(len(value)):
            state.total += value[i]
            to_total[i] = state.total

    @streambench.keyed(key="key", state=STATE, emits="total", numba=numba)
    def keyed_total(state, value):  # type: ignore[no-untyped-def]
        state.total += value + 1
        return state.total

    for made, sums in ((total, np.cumsum(np.arange(10) * 10)), (keyed_total, np.arange(10) * 10 + 1)):
        for _ in range(2):
            built = pipeline(made)
            execute(built, SERIAL)
            assert built.sink.rows()[0].tolist() == sums.tolist()


@pytest.mark.parametrize("numba", WAYS)
def test_what_is_read_cannot_be_written_to(numba: bool) -> None:
    """It may be the source's own memory."""

    @streambench.stateless(emits="a", numba=numba)
    def greedy(value, to_value):  # type: ignore[no-untyped-def]
        value[0] = 7

    values = np.arange(5)
    with pytest.raises((OptionError, OperatorError), match="operator greedy") as told:
        execute(Pipeline([TableSource((values,), ("value",)), greedy, TableSink()]), SERIAL)
    assert re.search("read-?only", str(told.value))
    assert values.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("made", [-1, 5, 1000])
def test_a_number_of_outputs_for_which_there_is_no_room_is_refused(numba: bool, made: int) -> None:
    @streambench.stateless(emits="a", most=4, numba=numba)
    def wrong(value, to_value):  # type: ignore[no-untyped-def]
        return made if value[0] == 60 else 0

    with pytest.raises(OperatorError) as told:
        execute(pipeline(wrong), Options(engine="serial", unit=1))
    assert (told.value.serial, told.value.values) == (6, (("key", 6), ("value", 60)))
    assert told.value.reason == (
        f"ValueError: it returned {made} as the number of its outputs for 1 of its inputs, at most 4 are right"
    )


@pytest.mark.parametrize("numba", WAYS)
def test_who_appends_cannot_leave_tuples_out(numba: bool) -> None:
    @streambench.stateless(appends="a", numba=numba)
    def filtering(value, a):  # type: ignore[no-untyped-def]
        return len(value) - 1

    with pytest.raises(OperatorError, match="it returned 0 as the number of its outputs for 1 of its inputs, as many"):
        execute(pipeline(filtering), SERIAL)


@pytest.mark.parametrize("numba", WAYS)
def test_a_function_that_looks_at_where_units_end_is_told_so_when_it_fails(numba: bool) -> None:
    @streambench.stateless(emits="a", numba=numba)
    def alone(value, to_value):  # type: ignore[no-untyped-def]
        if len(value) > 1:
            raise KeyError("company")

    with pytest.raises(OperatorError, match="for 4 tuples together and for none of them alone") as told:
        execute(pipeline(alone), SERIAL)
    assert "company" in told.value.reason
    assert told.value.serial == 0


@pytest.mark.parametrize("returned", [1.5, "text", (1, 2), [1]])
def test_a_value_that_does_not_fit_its_column_is_refused_without_numba(returned: Any) -> None:
    keyed = streambench.keyed(key="key", state=STATE, emits="a", numba=False)
    with pytest.raises(OperatorError, match="operator keyed_one failed at its tuple with serial number 0"):
        execute(pipeline(keyed(_returning(returned))), SERIAL)


def test_who_appends_must_return_a_value_without_numba() -> None:
    keyed = streambench.keyed(key="key", state=STATE, appends="a", numba=False)
    with pytest.raises(OperatorError, match="it returned None, not a value for each of 1 columns"):
        execute(pipeline(keyed(_returning(None))), SERIAL)


def _returning(what: Any) -> Callable[..., Any]:
    def keyed_one(state: Any, value: Any) -> Any:
        return what

    return keyed_one


@pytest.mark.parametrize("numba", MUCH_TO_COMPILE)
def test_arithmetic_is_numpys_with_and_without_numba(numba: bool) -> None:
    """Integers wrap, and divided by zero give 0: no warning, no exception."""

    @streambench.stateless(appends="a", numba=numba)
    def by_zero(value, a):  # type: ignore[no-untyped-def]
        for i in range(len(value)):
            a[i] = 100 // (value[i] - 30) + 2**62 + 2**61 * (value[i] // 10)

    @streambench.keyed(key="key", state=STATE, appends="b", numba=numba)
    def by_zero_too(state, value):  # type: ignore[no-untyped-def]
        return 100 % state.total + 2**62 + 2**61 * (value // 10) + 100 // (value - 30)

    built = pipeline(by_zero, by_zero_too)
    execute(built, SERIAL)
    divided = [0 if k == 3 else 100 // (10 * k - 30) for k in range(10)]
    wrapped = [(2**62 + 2**61 * k + more + 2**63) % 2**64 - 2**63 for k, more in enumerate(divided)]
    assert [each.tolist() for each in built.sink.rows()[2:]] == [wrapped, wrapped]


def test_a_state_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="a state is a record of numbers, not float64"):
        streambench.keyed(key="key", state=None, emits="a")(keyed_two)
