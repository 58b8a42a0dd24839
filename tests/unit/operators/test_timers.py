"""Keyed functions are called at the times that they ask for, in the order that a naive model of all keys has."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
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

NEVER = -(2**63)
STATE = [("n", "int64"), ("left", "int32"), ("timer", "int64")]
Tuple = tuple[int, Any, int]
WAYS_TO_RUN: tuple[dict[str, Any], ...] = (
    {"engine": "serial", "unit": 1},
    {"engine": "serial", "unit": 5000},
    *({"workers": workers, "partitions": partitions, "plan": plan, "unit": unit}
      for workers, partitions, unit in ((2, 3, 7), (4, 7, 64), (3, 2, 500))
      for plan in ("auto", "whole", "cut", "sharded")),
    {"workers": 2, "partitions": 4, "unit": 5, "heuristic": "ct"},
    {"engine": "schemes", "workers": 2, "unit": 50},
)  # fmt: skip


@dataclass
class Model:
    """A key: its fields, and when it was called last."""

    n: int = 0
    left: int = 0
    timer: int = NEVER
    called: int = NEVER

    def take(self, ts: int, key: Any, value: int) -> list[Any]:
        self.called = ts
        self.n += 1
        kind = value % 5
        if kind == 0:
            self.timer = ts + value % 11
        elif kind == 1:
            self.timer = ts - 3
        elif kind == 2:
            self.timer = ts + 1000
        elif kind == 3:
            self.timer, self.left = ts + 1, value % 4
        return [(key, ts, self.n)] if value % 3 else []

    def due(self, key: Any) -> list[Any]:
        self.called = self.timer
        self.n += 100
        found = [(key, self.timer, -self.n)] if self.n % 4 else []
        if self.left > 0:
            self.left -= 1
            self.timer += 2
        return found


def naive(tuples: list[Tuple], at_end: bool) -> list[Any]:
    """All keys are looked at before each tuple, and the one that is due first is called, until none is."""
    models: dict[Any, Model] = {}
    found: list[Any] = []

    def waiting(until: int) -> list[tuple[int, Any]]:
        return [(each.timer, key) for key, each in models.items() if each.called < each.timer <= until]

    for ts, key, value in tuples:
        while waiting(ts):
            _, first = min(waiting(ts))
            found += models[first].due(first)
        found += models.setdefault(key, Model()).take(ts, key, value)
    for _, key in sorted(waiting(2**63)) if at_end else ():
        found += models[key].due(key)
    return found + [(key, -1, models[key].n) for key in sorted(models)]


@functools.cache
def watched(numba: bool, high_key: int = 0, at_end: bool = True) -> Any:
    def on_time(state, key):  # type: ignore[no-untyped-def]
        due = state.timer
        state.n += 100
        if state.left > 0:
            state.left -= 1
            state.timer += 2
        return (key, due, -state.n) if state.n % 4 else None

    def last(state, key):  # type: ignore[no-untyped-def]
        return key, -1, state.n

    @streambench.keyed(
        key="key", state=STATE, emits=("key", "time", "n"), on_time=on_time, flush=last, timers_at_end=at_end,
        high_key=high_key, numba=numba,
    )  # fmt: skip
    def watched(state, ts, key, value):  # type: ignore[no-untyped-def]
        state.n += 1
        kind = value % 5
        if kind == 0:
            state.timer = ts + value % 11
        elif kind == 1:
            state.timer = ts - 3
        elif kind == 2:
            state.timer = ts + 1000
        elif kind == 3:
            state.timer = ts + 1
            state.left = value % 4
        return (key, ts, state.n) if value % 3 else None

    return watched


@st.composite
def streams(draw: st.DrawFn) -> list[Tuple]:
    steps = st.sampled_from((0, 0, 0, 1, 1, 2, 5, draw(st.sampled_from((9, 2000, 10**12)))))
    keys = draw(st.sampled_from((1, 3, 8)))
    time = draw(st.sampled_from((0, -17, -(2**50), 2**61)))
    found: list[Tuple] = []
    for _ in range(draw(st.integers(0, 60))):
        time += draw(steps)
        found.append((time, draw(st.integers(-keys, keys)), draw(st.integers(0, 1000))))
    return found


def run(operators: list[Any], columns: dict[str, Any], **options: Any) -> list[tuple[Any, ...]]:
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), *operators, TableSink()])
    execute(pipeline, Options(pin=False, **options))
    return list(zip(*(each.tolist() for each in pipeline.sink.rows()), strict=True))


def columns_of(tuples: list[Tuple]) -> dict[str, Any]:
    each = np.array([(ts, key, value) for ts, key, value in tuples], np.int64).reshape(-1, 3)
    return {name: each[:, k].copy() for k, name in enumerate(("ts", "key", "value"))}


@pytest.mark.parametrize("numba", WAYS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tuples=streams(), options=st.sampled_from(WAYS_TO_RUN), high_key=st.sampled_from([0, 5]), at_end=st.booleans())
def test_timers_are_called_as_the_naive_model_calls_them(
    numba: bool, tuples: list[Tuple], options: dict[str, Any], high_key: int, at_end: bool
) -> None:
    assert run([watched(numba, high_key, at_end)], columns_of(tuples), **options) == naive(tuples, at_end)


@pytest.mark.parametrize("numba", WAYS)
def test_a_long_stream_of_many_keys_has_the_naive_models_timers(numba: bool) -> None:
    random = np.random.default_rng(5)
    times = np.cumsum(random.choice([0, 0, 0, 1, 1, 3, 40], 4000))
    tuples = list(zip(times.tolist(), random.integers(-40, 40, 4000).tolist(), random.integers(0, 1000, 4000).tolist(),
                      strict=True))  # fmt: skip
    expected = naive(tuples, True)
    for options in WAYS_TO_RUN:
        if options["unit"] > 1:
            assert run([watched(numba)], columns_of(tuples), **options) == expected


@functools.cache
def alarm(numba: bool) -> Any:
    """Every key asks for one time; ``on_time`` emits several rows, in its order."""

    def on_time(state, small, real, to_small, to_real, to_n):  # type: ignore[no-untyped-def]
        for j in range(2):
            to_small[j], to_real[j], to_n[j] = small, real, state.n + j
        return 2

    emits = {"small": "int8", "real": "float64", "n": "int64"}

    @streambench.keyed(
        key=("small", "raw", "real"), state=STATE, emits=emits, most=3, on_time=on_time, reads=("value", "small"),
        numba=numba,
    )  # fmt: skip
    def alarm(state, value, small, to_small, to_real, to_n):  # type: ignore[no-untyped-def]
        state.n = 10 * value
        state.timer = 100
        to_small[0], to_real[0], to_n[0] = small, 0.5, -1
        return 1 if value == 9 else 0

    return alarm


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_timers_of_one_time_ascend_by_a_key_of_any_types(numba: bool, options: dict[str, Any]) -> None:
    random = np.random.default_rng(8)
    bits = [0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000]
    reals = np.array([*np.array(bits, np.uint64).view(np.float64), 0.0, -0.0, -np.inf, 2.5])
    n = 120
    columns = {
        "ts": np.array([*range(n - 1), 100 + n]),
        "real": reals[random.integers(0, len(reals), n)],
        "raw": np.frombuffer(b"\0a\0b\0\0a\0\0", "V3")[random.integers(0, 3, n)],
        "small": random.integers(-2, 2, n).astype(np.int8),
        "value": np.array([1] * (n - 1) + [9]),
    }
    columns["small"][-1], columns["ts"][:-1] = 7, columns["ts"][:-1] % 1  # all before, and one behind
    found = run([alarm(numba)], columns, **options)
    keys = {
        (int(small), raw.tobytes(), real != real, 0.0 if real != real else float(real), real.view(np.int64).item())
        for small, raw, real in zip(columns["small"][:-1], columns["raw"], columns["real"], strict=False)
    }
    expected = [(each[0], each[4], 10 + j) for each in sorted(keys) for j in range(2)]
    seen = [(small, np.float64(real).view(np.int64).item(), k) for small, real, k in found]
    assert seen == [*expected, (7, np.float64(0.5).view(np.int64).item(), -1)]


@functools.cache
def refusing(numba: bool, of: str) -> Any:
    def on_time(state, key):  # type: ignore[no-untyped-def]
        if key == 3 and of == "timer":
            raise ValueError("not this key")
        return key, -state.n

    @streambench.keyed(key="key", state=STATE, emits=("key", "n"), on_time=on_time, numba=numba)
    def refusing(state, ts, key, value):  # type: ignore[no-untyped-def]
        state.n = value
        state.timer = ts + 10
        if value == 57 and of == "tuple":
            raise ValueError("not this tuple")
        return key, value

    return refusing


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("of", ["timer", "tuple"])
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_what_is_refused_ends_the_run_behind_what_came_before(numba: bool, of: str, options: dict[str, Any]) -> None:
    value = np.arange(80)
    columns = {"ts": value // 2 * 3, "key": value % 8, "value": value}
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), refusing(numba, of), TableSink()])
    serial = 10 if of == "timer" else 57  # key 3 comes at time 3 first and asks for 13; tuple 10 is of time 15
    with pytest.raises(OperatorError, match=rf"refusing failed at its tuple with serial number {serial}, .*not this"):
        execute(pipeline, Options(pin=False, **options))
    rows = list(zip(*(each.tolist() for each in pipeline.sink.rows()), strict=True))
    expected: list[tuple[int, int]] = []
    asked: dict[int, tuple[int, int]] = {}
    for ts, key, number in zip(*(each.tolist() for each in columns.values()), strict=True):
        if number == serial:
            break
        for _, of_key in sorted((due, k) for k, (due, _) in asked.items() if due <= ts):
            expected.append((of_key, -asked.pop(of_key)[1]))
        asked[key] = ts + 10, number
        expected.append((key, number))
    assert rows == expected


@pytest.mark.parametrize("numba", WAYS)
def test_a_timer_that_fails_at_the_end_stops_the_run_behind_the_earlier_ones(numba: bool) -> None:
    columns = {"ts": np.zeros(6, np.int64), "key": np.arange(6), "value": np.arange(6)}
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), refusing(numba, "timer"), TableSink()])
    with pytest.raises(OperatorError, match=r"at the end of the stream, .*not this key"):
        execute(pipeline, Options(pin=False, workers=2, partitions=3))
    assert pipeline.sink.rows()[0].tolist() == [*range(6), 0, 1, 2]


def hourly(state, ts, amount):  # type: ignore[no-untyped-def]
    state.n += amount
    state.timer = ts - ts % 3600 + 3600


def total(state, country):  # type: ignore[no-untyped-def]
    return country, state.timer, state.n


def test_times_and_texts_of_a_table_and_a_slack_in_their_unit() -> None:
    moments = pa.array([10, 3700, 3650, 3800, 9000], pa.timestamp("s"))
    table = pa.table({"ts": moments, "country": ["DE", "AT", "DE", "AT", "DE"], "amount": [1, 2, 3, 4, 5]})
    emits = {"country": "int32", "until": "int64", "n": "int64"}
    made = streambench.keyed(key="country", state=STATE, emits=emits, on_time=total, slack="1min", numba=False)(hourly)
    batches = streambench.Pipeline([table, made]).stream(workers=2, restore={"until": "ts"})
    rows = [(row["country"], row["until"].hour, row["n"]) for batch in batches for row in batch.to_pylist()]
    assert rows == [("DE", 1, 1), ("DE", 2, 4), ("AT", 2, 6), ("DE", 3, 9)]
    assert made.late == 0
    made = streambench.keyed(key="country", state=STATE, emits=emits, on_time=total, slack="10s", numba=False)(hourly)
    list(streambench.Pipeline([table, made]).stream(workers=2))
    assert made.late == 1


def test_a_time_that_goes_back_is_refused_with_what_to_do() -> None:
    columns = {"ts": np.array([5, 4]), "key": np.array([1, 1]), "value": np.array([1, 1])}
    with pytest.raises(OperatorError, match=r"operator watched failed .* say by slack= how far"):
        run([watched(False)], columns)


def test_a_timer_far_ahead_costs_no_call_on_the_way() -> None:
    calls: list[int] = []

    def on_time(state: Any, key: Any) -> None:
        calls.append(int(state.timer))

    @streambench.keyed(key="key", state=STATE, emits="n", on_time=on_time, numba=False)
    def session(state: Any, ts: Any) -> None:
        state.timer = ts + 50

    columns = {"ts": np.arange(1000), "key": np.zeros(1000, np.int64)}
    assert run([session], columns, workers=2) == []
    assert calls == [1049]


def plain(state, ts):  # type: ignore[no-untyped-def]
    return ts


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"state": [("n", "int64")]}, "operator plain with on_time= needs a field timer of its state"),
        ({"state": [("timer", "float64")]}, "needs a field timer of its state"),
        ({"on_time": 5}, "on_time= is a function, not 5"),
        ({"on_time": lambda: 1}, r"on_time= needs as parameters the state, columns of the key \(key\), but has none"),
        ({"on_time": lambda state, ts: 1}, "on_time= needs as parameters"),
        ({"time": 5}, "time= names a column by a text, not 5"),
        ({"emits": (), "appends": "a"}, "on_time= emits tuples of its own"),
        ({"emits": [f"c{k}" for k in range(62)]}, "with on_time= emits at most 61 columns, not 62"),
        ({"time": "clock"}, "operator plain reads a column clock, but"),
        ({"slack": -1}, "operator plain: slack must be a whole number from 0"),
        ({"slack": "5min"}, "operator plain: slack is 5min, but the column counts in no unit of time"),
        ({"time": "real"}, "wants column real as int64 or"),
    ],
)
def test_what_does_not_fit_a_timer_is_told(options: dict[str, Any], sentence: str) -> None:
    given: dict[str, Any] = {"key": "key", "state": STATE, "emits": "a", "on_time": lambda state: 1, "numba": False}
    columns = {"ts": np.arange(3), "key": np.arange(3), "real": np.arange(3.0)}
    with pytest.raises(OptionError, match=sentence):
        run([streambench.keyed(**{**given, **options})(plain)], columns)


def test_heartbeats_and_silence_call_no_timer_before_its_tuple() -> None:
    def batches() -> Iterator[Any]:
        yield (np.array([1, 2]), np.array([1, 2]), np.array([3, 3]))
        yield streambench.Heartbeat(50)
        yield (np.array([3]), np.array([1]), np.array([1]))

    source = streambench.BatchSource(batches(), ("ts", "key", "value"))
    pipeline = Pipeline([source, watched(False), TableSink()])
    pipeline.run(workers=2)
    found = list(zip(*(each.tolist() for each in pipeline.sink.rows()), strict=True))
    assert found == naive([(1, 1, 3), (2, 2, 3), (3, 1, 1)], True)
