"""Where states begin, what several outputs of a tuple are, and what is emitted at the end: as in a plain loop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import WAYS

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

FAR = 1 << 40
STATE = [("lowest", "int64"), ("n", "int32")]
WAYS_TO_RUN: list[dict[str, Any]] = [
    {"engine": "serial", "unit": 1},
    {"engine": "serial", "unit": 5000},
    {"workers": 3, "unit": 7, "plan": "sharded", "partitions": 5},
    {"workers": 2, "unit": 300, "plan": "whole"},
    {"workers": 2, "unit": 64, "heuristic": "lp"},
    {"engine": "schemes", "workers": 2, "unit": 50},
]


@functools.cache
def lowest(key: str, high_key: int, numba: bool) -> Any:
    """Emits what falls below the key's lowest; at the end, of the keys that came twice, what that was."""

    def last(state):  # type: ignore[no-untyped-def]
        return (-state.n, state.lowest) if state.n > 1 else None

    @streambench.keyed(
        key=key, state=STATE, initial={"lowest": FAR}, emits=("n", "value"), flush=last, high_key=high_key, numba=numba
    )
    def falling(state, value):  # type: ignore[no-untyped-def]
        state.n += 1
        if value >= state.lowest:
            return None
        state.lowest = value
        return state.n, value

    return falling


def plain_lowest(keys: list[Any], values: list[int]) -> list[tuple[int, int]]:
    states: dict[Any, list[int]] = {}
    out = []
    for key, value in zip(keys, values, strict=True):
        state = states.setdefault(key, [FAR, 0])
        state[1] += 1
        if value < state[0]:
            state[0] = value
            out.append((state[1], value))
    return out + [(-states[key][1], states[key][0]) for key in sorted(states) if states[key][1] > 1]


def run(operators: list[Any], columns: dict[str, Any], **options: Any) -> list[tuple[Any, ...]]:
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), *operators, TableSink()])
    execute(pipeline, Options(pin=False, **options))
    return list(zip(*(each.tolist() for each in pipeline.sink.rows()), strict=True))


@pytest.mark.parametrize("numba", WAYS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=st.sampled_from(["signed", "unsigned", "small", "flag"]),
    high_key=st.sampled_from([0, 5]),
    n=st.sampled_from([0, 1, 2, 150, 900]),
    options=st.sampled_from(WAYS_TO_RUN),
    seed=st.integers(0, 99),
)
def test_states_begin_as_said_and_are_flushed_by_key(
    numba: bool, key: str, high_key: int, n: int, options: dict[str, Any], seed: int
) -> None:
    random = np.random.default_rng(seed)
    columns = {
        "signed": random.choice(np.array([-(1 << 63), (1 << 63) - 1, *range(-4, 7), 1 << 40]), n),
        "unsigned": random.choice(np.array([0, 1, 7, (1 << 63) - 1, 1 << 63, (1 << 64) - 1], np.uint64), n),
        "small": random.integers(-128, 128, n).astype(np.int8),
        "flag": random.integers(0, 2, n) == 1,
        "value": random.integers(-20, 100, n),
    }
    found = run([lowest(key, high_key, numba)], columns, **options)
    assert found == plain_lowest(columns[key].tolist(), columns["value"].tolist())


@functools.cache
def counted(numba: bool) -> Any:
    """Emits nothing before the end."""

    def last(state, real, small):  # type: ignore[no-untyped-def]
        return small, real, state.n

    emits = {"small": "int8", "real": "float64", "n": "int64"}

    @streambench.keyed(key=("small", "raw", "real"), state=STATE, emits=emits, flush=last, reads="value", numba=numba)
    def count(state, value):  # type: ignore[no-untyped-def]
        state.n += value

    return count


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_the_last_call_is_given_the_key_in_ascending_order(numba: bool, options: dict[str, Any]) -> None:
    random = np.random.default_rng(8)
    nan = np.array([0x7FF8000000000000, 0x7FF8000000000001], np.uint64).view(np.float64)
    columns = {
        "real": random.choice(np.array([*nan, 0.0, -0.0, -np.inf, 2.5]), 700),
        "raw": np.frombuffer(b"\0a\0b\0\0a\0\0", "V3")[random.integers(0, 3, 700)],
        "small": random.integers(-2, 2, 700).astype(np.int8),
        "value": np.ones(700, np.int64),
    }
    found = run([counted(numba)], columns, **options)
    counts: dict[Any, int] = {}
    for small, raw, real in zip(columns["small"].tolist(), columns["raw"], columns["real"], strict=True):
        bits = (small, raw.tobytes(), real != real, 0.0 if real != real else float(real), real.view(np.int64).item())
        counts[bits] = counts.get(bits, 0) + 1
    expected = [(each[0], each[4], counts[each]) for each in sorted(counts)]
    assert [(small, np.float64(real).view(np.int64).item(), n) for small, real, n in found] == expected


@pytest.mark.parametrize("numba", WAYS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.sampled_from([0, 1, 300, 900]), options=st.sampled_from(WAYS_TO_RUN), seed=st.integers(0, 99))
def test_a_keyed_function_may_emit_several_tuples_for_one(
    numba: bool, n: int, options: dict[str, Any], seed: int
) -> None:
    random = np.random.default_rng(seed)
    keys, values = random.integers(-3, 5, n), random.integers(0, 100, n)
    states: dict[int, int] = {}
    expected = []
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        states[key] = states.get(key, 100) + 1
        expected += [(key, states[key] * 100 + j) for j in range(value % 5)]
    expected += [(key, j) for key in sorted(states) for j in range(states[key] % 3)]
    assert run([copies(numba)], {"key": keys, "value": values}, **options) == expected


@functools.cache
def copies(numba: bool) -> Any:
    def last(state, key, to_key, to_value):  # type: ignore[no-untyped-def]
        for j in range(state.n % 3):
            to_key[j], to_value[j] = key, j
        return state.n % 3

    @streambench.keyed(
        key="key",
        state=STATE,
        initial={"n": 100},
        emits={"key": "int16", "value": "int64"},
        most=4,
        flush=last,
        numba=numba,
    )
    def copied(state, key, value, to_key, to_value):  # type: ignore[no-untyped-def]
        state.n += 1
        for j in range(value % 5):
            to_key[j], to_value[j] = key, state.n * 100 + j
        return value % 5

    return copied


@functools.cache
def wrong(numba: bool) -> Any:
    @streambench.keyed(key="key", state=STATE, emits="value", most=2, numba=numba)
    def wrong(state, value, to):  # type: ignore[no-untyped-def]
        to[0] = value
        return 3 if value == 60 else value % 2

    return wrong


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_more_outputs_than_there_is_room_for_refuse_the_tuple(numba: bool, options: dict[str, Any]) -> None:
    columns = {"key": np.arange(100) % 7, "value": np.arange(100)}
    with pytest.raises(OperatorError, match=r"serial number 60, .*it returned 3 as the number of its outputs for 1 of"):
        run([wrong(numba)], columns, **options)


@functools.cache
def tens(numba: bool) -> Any:
    def last(state, total, number):  # type: ignore[no-untyped-def]
        total[0], number[0] = state.total, -1
        total[1], number[1] = 7, -2
        return state.total % 3

    @streambench.stateful(
        state=[("total", "int64"), ("n", "int64")],
        initial={"total": 1000},
        emits=("total", "number"),
        most=2,
        flush=last,
        numba=numba,
    )
    def tens(state, value, total, number):  # type: ignore[no-untyped-def]
        made = 0
        for i in range(len(value)):
            state.total += value[i]
            state.n += 1
            if state.n % 10 == 0:
                total[made], number[made] = state.total, state.n
                made += 1
        return made

    return tens


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_a_stateful_function_emits_what_it_holds_at_the_end(numba: bool, options: dict[str, Any]) -> None:
    for n in (0, 95, 96, 97):
        total, expected = 1000, []
        for k in range(n):
            total += k
            expected += [(total, k + 1)] if k % 10 == 9 else []
        expected += [(total, -1), (7, -2)][: total % 3]
        assert run([tens(numba)], {"value": np.arange(n)}, **options) == expected


def decorated(kind: str, numba: bool) -> Any:
    """Functions that say they wrote three rows, and wrote one."""

    def last(state, value, small):  # type: ignore[no-untyped-def]
        value[0], small[0] = 7, 7
        return 3

    def keyed(state, key, value, small):  # type: ignore[no-untyped-def]
        value[0], small[0] = key, 1
        if key % 2:
            value[1], small[1] = 9, 9  # and says nothing of it
        return 1 if key % 2 else 3

    def stateful(state, key, value, small):  # type: ignore[no-untyped-def]
        value[0], small[0] = key[0], 1
        return 3 * len(key)

    def stateless(key, value, small):  # type: ignore[no-untyped-def]
        value[0], small[0] = key[0], 1
        return 3 * len(key)

    def appending(key, value, small):  # type: ignore[no-untyped-def]
        value[0], small[0] = key[0], 1

    columns = {"value": "int64", "small": "int8"}
    if kind == "appending":
        return streambench.stateless(appends=columns, numba=numba)(appending)
    common: dict[str, Any] = {"emits": columns, "most": 3, "numba": numba}
    if kind == "stateless":
        return streambench.stateless(**common)(stateless)
    if kind == "stateful":
        return streambench.stateful(state=STATE, flush=last, **common)(stateful)
    return streambench.keyed(key="key", state=STATE, flush=last, **common)(keyed)


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("kind", ["keyed", "stateful", "stateless", "appending"])
def test_what_a_function_says_it_wrote_and_did_not_is_zero(numba: bool, kind: str) -> None:
    filling = streambench.mapped(emits=("key", "more"), numba=False)(lambda key: (key, -1))
    for options in WAYS_TO_RUN[1:]:
        columns = {"key": np.arange(1, 301)}
        found = run([filling, decorated(kind, numba)], columns, **options)  # memory that held -1 is there
        rows = [row[-2:] for row in found]
        assert {(0, 0)} <= set(rows) <= {(0, 0), (7, 7), *((key, 1) for key in range(1, 301))}


@functools.cache
def passed(numba: bool) -> Any:
    def last(state, key):  # type: ignore[no-untyped-def]
        if key == 5:
            raise ValueError("not this key")
        return -key

    @streambench.keyed(key="key", state=STATE, emits="value", flush=last, numba=numba)
    def passed(state, key):  # type: ignore[no-untyped-def]
        return key

    return passed


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_a_last_call_that_fails_stops_the_run_behind_what_came_before(numba: bool, options: dict[str, Any]) -> None:
    pipeline = Pipeline([TableSource([np.arange(500) % 9], ["key"]), passed(numba), TableSink()])
    with pytest.raises(
        OperatorError, match="operator passed failed at the end of the stream, behind all of its 500 t"
    ) as told:
        execute(pipeline, Options(pin=False, **options))
    assert "not this key" in told.value.reason
    assert isinstance(told.value.__cause__, ValueError)
    assert pipeline.sink.rows()[0].tolist() == [*(np.arange(500) % 9), 0, -1, -2, -3, -4]


def value_of(state, value):  # type: ignore[no-untyped-def]
    return value


def none_of(state, value, to):  # type: ignore[no-untyped-def]
    return 0


@pytest.mark.parametrize(
    ("decorate", "function", "options", "sentence"),
    [
        ("keyed", value_of, {"initial": {"high": 1}}, "initial= has a field high, which the state has not"),
        ("keyed", value_of, {"initial": {"n": 1.5}}, "initial= gives field n of int64 the value 1.5"),
        ("keyed", value_of, {"initial": {"n": "x"}}, "initial= gives field n of int64 the value 'x'"),
        ("keyed", value_of, {"initial": {"n": 1 << 70}}, "initial= gives field n of int64 the value"),
        (
            "keyed",
            value_of,
            {"flush": lambda: 1},
            r"flush= needs as parameters the state, columns of the key \(key\), but has none",
        ),
        ("keyed", value_of, {"flush": lambda state, value: 1}, r"flush= needs as parameters .* but has state, value"),
        ("keyed", value_of, {"flush": lambda *state: 1}, r"flush= needs as parameters .* but has state"),
        ("keyed", value_of, {"flush": 5}, "flush= is a function, not 5"),
        ("keyed", value_of, {"initial": 5}, "initial= gives fields their values, such as .* not 5"),
        ("keyed", value_of, {"key": 5}, "key names the column of the key, or several"),
        ("keyed", value_of, {"most": 0}, "most must be a number of outputs from 1 to 1024"),
        ("stateful", none_of, {"flush": lambda state: 1}, r"flush= needs as parameters the state, 1 to write \(a\)"),
        (
            "stateful",
            none_of,
            {"flush": lambda state, to: 1, "appends": "b", "emits": ()},
            "flush= emits tuples of its own",
        ),
    ],
)
def test_what_does_not_fit_a_state_or_its_end_is_told(
    decorate: str, function: Callable[..., Any], options: dict[str, Any], sentence: str
) -> None:
    given: dict[str, Any] = {"key": "key"} if decorate == "keyed" else {}
    with pytest.raises(OptionError, match=sentence):
        getattr(streambench, decorate)(**{"state": [("n", "int64")], "emits": "a", **given, **options})(function)


@pytest.mark.parametrize("numba", WAYS)
def test_a_last_call_of_a_stateful_function_has_to_return_a_number(numba: bool) -> None:
    def last(state, to):  # type: ignore[no-untyped-def]
        to[0] = 1

    made = streambench.stateful(state=[("n", "int64")], emits="a", flush=last, numba=numba)(none_of)
    with pytest.raises((OptionError, OperatorError), match="operator none_of"):
        run([made], {"value": np.arange(3)})
