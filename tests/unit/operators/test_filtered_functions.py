"""Filters around functions keep whole tuples: those that a plain loop keeps, whatever their columns."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streambench.queries.parametric.operators import MatrixStateless
from twins import WAYS

import streambench
from streambench.errors import OperatorError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

WAYS_TO_RUN: list[dict[str, Any]] = [
    {"engine": "serial", "unit": 1},
    {"engine": "serial", "unit": 5000},
    {"workers": 3, "unit": 7},
    {"workers": 2, "unit": 4099, "plan": "cut"},
    {"workers": 2, "unit": 64, "heuristic": "lp"},
]


def table(n: int, seed: int = 3) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    floats = random.choice([np.nan, -0.0, 0.0, np.inf, 1.5, -2.5], n)
    wide = random.integers(0, 1 << 64, n, dtype=np.uint64, endpoint=False)
    return {
        "number": random.integers(-(1 << 62), 1 << 62, n),
        "wide": wide,
        "small": random.integers(-9, 9, n).astype(np.int8),
        "real": floats.astype(np.float32),
        "flag": random.integers(0, 2, n) == 1,
        "raw": np.frombuffer(random.bytes(20 * (n + 1)), "V20")[:n],
    }


@functools.cache
def filters(numba: bool) -> list[Any]:
    return [
        streambench.filtered(lambda small: small > 3, numba=numba),
        streambench.filtered(lambda real, flag: flag and real != real, numba=numba),  # NaN
        streambench.filtered(lambda small: small > 100, numba=numba),
        streambench.filtered(lambda small: small < 100, numba=numba),
    ]


def plain(columns: dict[str, Any], which: int) -> list[bool]:
    tests = [
        lambda row: row["small"] > 3,
        lambda row: row["flag"] and row["real"] != row["real"],
        lambda row: False,
        lambda row: True,
    ]
    n = len(columns["small"])
    return [bool(tests[which]({name: column[i] for name, column in columns.items()})) for i in range(n)]


def run(columns: dict[str, Any], operators: list[Any], **options: Any) -> list[Any]:
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), *operators, TableSink()])
    execute(pipeline, Options(pin=False, **options))
    assert pipeline.operators[-2].emitted == tuple(columns)
    rows: list[Any] = pipeline.sink.rows()
    return rows or [column[:0] for column in columns.values()]


@pytest.mark.parametrize("numba", WAYS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n=st.sampled_from([0, 1, 63, 64, 65, 700]),
    chosen=st.lists(st.integers(0, 3), min_size=1, max_size=3),
    options=st.sampled_from(WAYS_TO_RUN),
    seed=st.integers(0, 99),
)
def test_a_filter_keeps_the_tuples_that_a_loop_keeps(
    numba: bool, n: int, chosen: list[int], options: dict[str, Any], seed: int
) -> None:
    columns = table(n, seed)
    found = run(columns, [filters(numba)[each] for each in chosen], **options)
    kept = np.all([plain(columns, each) for each in chosen], axis=0) if n else np.zeros(0, bool)
    assert [each.tobytes() for each in found] == [column[kept].tobytes() for column in columns.values()]
    assert [each.dtype for each in found] == [column.dtype for column in columns.values()]


@pytest.mark.parametrize("numba", WAYS)
def test_a_filter_of_64_columns_keeps_64(numba: bool) -> None:
    columns = {f"c{k}": np.arange(5) + k for k in range(64)}
    found = run(columns, [streambench.filtered(reads="c7", numba=numba)(lambda seventh: seventh % 2 == 0)])
    assert [each.tolist() for each in found] == [[k + 1, k + 3] for k in range(64)]


@pytest.mark.parametrize("options", WAYS_TO_RUN)
@pytest.mark.parametrize("numba", WAYS)
def test_a_filter_may_refuse_a_tuple(numba: bool, options: dict[str, Any]) -> None:
    @streambench.filtered(numba=numba)
    def wary(number):  # type: ignore[no-untyped-def]
        if number == 300:
            raise ValueError("not this one")
        return number % 3 == 0

    pipeline = Pipeline([TableSource([np.arange(500)], ["number"]), wary, TableSink()])
    with pytest.raises(OperatorError, match=r"operator wary .* serial number 300, .*number=300.*ValueError: not this"):
        execute(pipeline, Options(pin=False, **options))
    assert pipeline.sink.rows()[0].tolist() == list(range(0, 300, 3))


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("answer", [lambda number: number, lambda number: None, lambda number: (True, True)])
def test_a_filter_that_returns_no_truth_value_is_refused(numba: bool, answer: Any) -> None:
    with pytest.raises((OptionError, OperatorError), match=r"operator <lambda> .*a filter returns True or False, as a"):
        run({"number": np.arange(3)}, [streambench.filtered(answer, numba=numba)])


@pytest.mark.parametrize("numba", WAYS)
def test_functions_before_and_behind_a_filter_are_given_all_columns(numba: bool) -> None:
    double = streambench.mapped(appends="double", numba=numba)(lambda number: 2 * number)
    total = streambench.keyed(key="flag", state=[("n", "int64")], appends="nth", numba=numba)

    @total
    def counted(state, flag):  # type: ignore[no-untyped-def]
        state.n += 1
        return state.n

    odd = streambench.filtered(lambda double: double % 4 == 2, numba=numba)
    columns = {"number": np.arange(100), "flag": np.arange(100) % 5 == 0}
    pipeline = Pipeline([TableSource(list(columns.values()), list(columns)), double, odd, counted, odd, TableSink()])
    execute(pipeline, Options(workers=2, unit=16, pin=False))
    counts = {False: 0, True: 0}
    expected = []
    for number in range(1, 100, 2):
        flag = number % 5 == 0
        counts[flag] += 1
        expected.append((number, flag, 2 * number, counts[flag]))
    assert list(zip(*(each.tolist() for each in pipeline.sink.rows()), strict=True)) == expected


@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("options", WAYS_TO_RUN)
def test_lists_go_through_a_filter_with_their_tuples(numba: bool, options: dict[str, Any]) -> None:
    def listed(emits_payload: bool) -> Any:
        return MatrixStateless(tuple_size=5, rounds=1, emits_payload=emits_payload)

    def emitted(*operators: Any) -> list[Any]:
        source = TableSource([np.arange(300), np.arange(300)], ("key", "id"))
        pipeline = Pipeline([source, *operators, listed(False), TableSink()])
        execute(pipeline, Options(pin=False, **options))
        return [each.tolist() for each in pipeline.sink.rows()]

    third = by_id(numba)
    assert emitted(listed(True), third) == emitted(third, listed(True))
    assert len(emitted(listed(True), third)[0]) == 100


@functools.cache
def by_id(numba: bool) -> Any:
    return streambench.filtered(lambda id: id % 3 == 0, numba=numba)


def test_a_list_that_a_function_reads_is_refused() -> None:
    lists = MatrixStateless(tuple_size=5, rounds=1, emits_payload=True)
    source = TableSource([np.arange(3), np.arange(3)], ("key", "id"))
    with pytest.raises(
        OptionError, match="operator <lambda> reads column start, which holds lists, and a function has"
    ):
        Pipeline([source, lists, streambench.filtered(lambda start: start > 0, numba=False), TableSink()])
