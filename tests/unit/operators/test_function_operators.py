"""Operators around functions give what their plain twins give: any engine, plan, workers, with Numba and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import MUCH_TO_COMPILE, NEEDS_NUMBA, PLAIN, REFUSING, WAYS, Row, expected, operators

from streambench.errors import OperatorError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

ENGINES: list[dict[str, Any]] = [
    {"engine": "serial"},
    {"plan": "auto"},
    {"plan": "whole"},
    {"plan": "cut"},
    {"plan": "sharded"},
    {"heuristic": "ct"},
    {"heuristic": "lp", "partitioning": "shared", "fuse": False},
]


def random_rows(seed: int, n: int) -> list[Row]:
    random = np.random.default_rng(seed)
    keys, values = random.integers(-3, 20, n), random.integers(0, 10_000, n)
    return [(int(key), int(value)) for key, value in zip(keys, values, strict=True)]


ROWS = st.builds(random_rows, st.integers(0, 1 << 32), st.integers(1, 600))


def run(names: list[str], rows: list[Row], numba: bool, options: Options) -> tuple[list[Row], OperatorError | None]:
    key, value = np.array(rows, dtype=np.int64).T
    between = [each for name in names for each in operators(name, numba)]
    pipeline = Pipeline([TableSource((key, value), ("key", "value")), *between, TableSink()])
    error = None
    try:
        execute(pipeline, options)
    except OperatorError as refused:
        error = refused
    columns = pipeline.sink.rows()
    return [(int(k), int(v)) for k, v in zip(*columns, strict=True)], error


@st.composite
def executions(draw: st.DrawFn) -> Options:
    chosen = draw(st.sampled_from(ENGINES))
    unit, partitions = draw(st.sampled_from([1, 7, 64, 1024])), draw(st.integers(1, 9))
    return Options(workers=draw(st.integers(1, 8)), unit=unit, partitions=partitions, credit=8, pin=False, **chosen)


ANY_PIPELINE = given(
    names=st.lists(st.sampled_from(sorted(set(PLAIN) - set(REFUSING))), max_size=4), rows=ROWS, options=executions()
)


def same_as_plain(names: list[str], rows: list[Row], numba: bool, options: Options) -> None:
    out, refusal = expected(names, rows)
    assert refusal is None
    assert run(names, rows, numba, options) == (out, None)


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@ANY_PIPELINE
def test_any_pipeline_of_functions_gives_what_plain_python_gives(
    names: list[str], rows: list[Row], options: Options
) -> None:
    same_as_plain(names, rows, False, options)


@pytest.mark.slow
@NEEDS_NUMBA
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])  # fewer: it compiles for each
@ANY_PIPELINE
def test_any_pipeline_of_compiled_functions_gives_what_plain_python_gives(
    names: list[str], rows: list[Row], options: Options
) -> None:
    same_as_plain(names, rows, True, options)


@pytest.mark.slow
@pytest.mark.parametrize("numba", WAYS)
@pytest.mark.parametrize("name", REFUSING)
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(
    before=st.sampled_from([[], ["mapped"], ["copied"], ["highest", "summed"]]),
    after=st.sampled_from([[], ["ranked"], ["wary"], ["sated_by_key", "totalled"]]),
    rows=ROWS,
    options=executions(),
)
def test_a_refused_tuple_is_told_and_all_before_it_has_left_and_nothing_after(
    numba: bool, name: str, before: list[str], after: list[str], rows: list[Row], options: Options
) -> None:
    names = [*before, name, *after]
    out, refusal = expected(names, rows)
    got, error = run(names, rows, numba, options)
    assert got == out
    assert (error is None) == (refusal is None)
    if error is not None and refusal is not None:
        operator, serial, row, why = refusal.told
        assert (error.operator, error.serial, error.values) == (operator, serial, (("key", row[0]), ("value", row[1])))
        assert error.reason == why


@pytest.mark.parametrize("numba", MUCH_TO_COMPILE)
@pytest.mark.parametrize("name", sorted(PLAIN))
@pytest.mark.parametrize("options", ENGINES, ids=lambda options: "-".join(map(str, options.values())))
def test_each_function_does_what_its_twin_does(name: str, numba: bool, options: dict[str, Any]) -> None:
    rows = random_rows(5, 900)
    out, refusal = expected([name], rows)
    assert (refusal is not None) == (name in REFUSING), "a test that tests nothing"
    got, error = run([name], rows, numba, Options(workers=3, unit=300, partitions=2, pin=False, **options))
    assert got == out
    assert (error and (error.operator, error.serial)) == (refusal and refusal.told[:2])
