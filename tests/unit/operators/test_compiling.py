"""What Numba cannot compile is told in a sentence when the pipeline is built, and never called more slowly instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from twins import NEEDS_NUMBA

import streambench
from streambench.errors import OptionError
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

pytestmark = NEEDS_NUMBA
STATE = [("total", "int64")]
SOMETHING = object()


def writes_to_input(value, to):  # type: ignore[no-untyped-def]
    value[0] = 7


def names_nothing(value, to):  # type: ignore[no-untyped-def]
    to[:] = nothing(value)  # type: ignore[name-defined]  # noqa: F821


def writes_text(value, to):  # type: ignore[no-untyped-def]
    to[0] = "text"


def stores_a_half(value, to):  # type: ignore[no-untyped-def]
    to[0] = 0.5


def opens_a_file(value, to):  # type: ignore[no-untyped-def]
    with open("x") as _:  # noqa: PTH123
        pass


def uses_an_object(value, to):  # type: ignore[no-untyped-def]
    return SOMETHING.count


def misses_an_attribute(value, to):  # type: ignore[no-untyped-def]
    to[0] = value.missing


def returns_a_float(value, to):  # type: ignore[no-untyped-def]
    return 1.5


def returns_on_one_way(value, to):  # type: ignore[no-untyped-def]
    if value[0]:
        return 1
    return None


@pytest.mark.parametrize(
    ("function", "cause", "line"),
    [
        (
            writes_to_input,
            "Cannot modify readonly array of type: readonly array(int64, 1d, C), where column value is an array of "
            "int64 (",
            1,
        ),
        (names_nothing, "name 'nothing' is not defined", None),
        (writes_text, "there is no setitem(array(int64, 1d, C), ", 1),
        (
            stores_a_half,
            "integers are given a floating point number: convert it by int(), an array by astype(np.int64), where to, "
            "column a, is an array of int64 (",
            1,
        ),
        (opens_a_file, "The 'with (context manager) as (variable):' construct is not supported", None),
        (uses_an_object, "Untyped global name 'SOMETHING': Cannot determine Numba type of <class 'object'>", 1),
        (misses_an_attribute, "Unknown attribute 'missing' of type readonly array(int64, 1d, C)", 1),
    ],
)
def test_the_sentence_names_operator_cause_and_line(function: Callable[..., Any], cause: str, line: int | None) -> None:
    with pytest.raises(OptionError) as told:
        build(streambench.stateless(emits="a")(function))
    sentence = str(told.value)
    assert sentence.startswith(f"Numba cannot compile operator {function.__name__}: {cause}")
    if function is not stores_a_half:
        assert sentence.endswith("; write it otherwise, or have it called as it is by numba=False.")
    assert "\n" not in sentence
    where = re.search(r"\(line (\d+)\)(; write|\.$)", sentence)
    assert (where and int(where[1])) == (line and inspect.getsourcelines(function)[1] + line)


@pytest.mark.parametrize("function", [returns_a_float, returns_on_one_way])
def test_a_function_that_returns_no_number_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(
        OptionError, match=f"operator {function.__name__} returns .*: return how many tuples it emitted"
    ):
        build(streambench.stateless(emits="a")(function))


@pytest.mark.parametrize(
    ("written", "returned"),
    [
        ({"emits": "a"}, "1.5"),
        ({"emits": "a"}, "(value, value)"),
        ({"emits": ("a", "b")}, "value"),
        ({"emits": "a"}, "None"),
        ({"appends": "a"}, "value if value > 3 else None"),
    ],
)
def test_a_keyed_function_whose_values_fit_no_column_is_refused(written: dict[str, Any], returned: str) -> None:
    keyed = streambench.keyed(key="key", state=STATE, **written)
    with pytest.raises(OptionError, match=r"operator <lambda> returns .*: return for each tuple"):
        build(keyed(eval(f"lambda state, value: {returned}")))


BYTES = np.array([b"ab", b"cd", b"ef"]).view("V2")


@pytest.mark.parametrize(
    ("function", "emits", "sentence"),
    [
        (
            lambda i, f: f,
            "a",
            "returns float64 for column a, which is int64: return for each tuple a value of that type",
        ),
        (lambda i, f: (i, f), {"a": "bool", "b": "int8"}, "returns float64 for column b, which is int8: "),
        (lambda i, f: (i, "x"), ("a", "b"), "returns a text for column b, which is int64: "),
        (lambda i, f: i, {"a": "V2"}, "column a is V2, for which it has no values"),
        (lambda i, f: i, {"a": "int8", "b": "bool"}, "for each tuple 2 values of the columns' types (a int8, b bool),"),
        (lambda v, f: f, {"a": "float64"}, "column v is V2, for which it has no values: leave the column to appends="),
        (lambda i, f: f.real, "a", "returns float64 for column a"),
        (lambda i, f: i.foo, "a", "Unknown attribute 'foo' of type int64, where column i is int64 (line"),
    ],
)
def test_a_type_that_does_not_fit_is_named_with_its_column(
    function: Callable[..., Any], emits: Any, sentence: str
) -> None:
    source = TableSource([BYTES, np.arange(3), np.arange(3) / 2], ("v", "i", "f"))
    with pytest.raises(OptionError, match=re.escape(sentence)) as told:
        Pipeline([source, streambench.mapped(emits=emits, numba=True)(function), TableSink()])
    assert "operator <lambda>" in str(told.value)
    assert "\n" not in str(told.value)


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(OptionError, match=r"Numba cannot compile operator <lambda>: .*missing"):
        build(streambench.keyed(key="key", state=STATE, emits="a")(lambda state, value: state.missing))


def test_a_function_is_compiled_once_for_all_pipelines() -> None:
    made = streambench.stateless(emits="a")(lambda value, to: len(value))
    build(made)
    (first,) = made._compiled.values()
    build(made)
    assert list(made._compiled.values()) == [first]


def build(made: Any) -> Pipeline:
    return Pipeline([TableSource((np.arange(3), np.arange(3)), ("key", "value")), made, TableSink()])
