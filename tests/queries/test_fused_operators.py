"""Operators that are written as one loop, too, give what they give one by one: the micro pipeline's and Q15's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.queries.baselines.micro_operators import Count, DigestSink, Map
from streambench.queries.q15.operators import LookUpCategory, SalesLine

from streambench.errors import OperatorError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

UNFUSED = Options(engine="serial", trace=True)
WAYS: list[dict[str, Any]] = [
    {"engine": "serial"},
    {"workers": 1},
    {"workers": 2, "plan": "cut", "pin": False},
    {"workers": 2, "plan": "sharded", "pin": False},
]
ITEMS = [3, 0, -1, 2, 0, 1, 2, 2]  # categories by item


def micro(keys: list[int], space: int, work: int = 0) -> Pipeline:
    key = np.array(keys, dtype=np.int64)
    return Pipeline([TableSource((key, key * 7919 - 3), ("key", "value")), Map(work), Count(space, work), DigestSink()])


def is_fused(pipeline: Pipeline, place: int, operators: int) -> bool:
    for each in pipeline.operators:
        each.prepare(1)
    found = pipeline.operators[place].fused_behind(tuple(reversed(pipeline.operators[1:place])))
    return found is not None and len(found.operators) == operators


def measured(pipeline: Pipeline, options: Options) -> tuple[Any, ...]:
    """The sequence, tuples that each operator was given, and what was refused."""
    try:
        profile = execute(pipeline, options).profile
    except OperatorError as error:
        return pipeline.sink.digest, error.operator, error.serial, error.values, error.reason
    return pipeline.sink.digest, [each["tuples_in"] for each in profile]


def test_the_micro_pipeline_is_one_loop_where_it_does_no_work() -> None:
    assert is_fused(micro([1], 2), 3, 3)
    assert not is_fused(micro([1], 2, work=1), 3, 3)


@pytest.mark.parametrize("wrong", [None, 0, 150, 299])
def test_the_micro_pipeline_as_one_loop_gives_the_same_sequence_and_refuses_the_same_key(wrong: int | None) -> None:
    keys = np.random.default_rng(1).integers(0, 20, 300).tolist()
    if wrong is not None:
        keys[wrong] = 20
    one_by_one = measured(micro(keys, 20), UNFUSED)
    assert (one_by_one[1] == "Count") == (wrong is not None)
    for way in WAYS:
        for unit in (1, 16, 300):
            assert measured(micro(keys, 20), Options(**way, unit=unit)) == one_by_one


def sales(days: list[int], items: list[int], cents: list[int], high_key: int, wide: bool) -> Pipeline:
    columns = (
        np.array(days, np.int32),
        np.array(items, np.int64 if wide else np.int32),
        np.array(cents, np.int64 if wide else np.int32),
    )
    source = TableSource(columns, ("date", "ss_item_sk", "cents"), time="date")
    line = SalesLine()
    line.high_key = high_key
    return Pipeline([source, LookUpCategory(np.array(ITEMS)), line, TableSink()])


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Days, some of them longer than a few rows; items, some of them null, unknown or without a category; cents."""
    n, random = draw(st.integers(0, 400)), np.random.default_rng(draw(st.integers(0, 1 << 32)))
    steps = random.random(n) < draw(st.sampled_from([0.3, 0.02]))
    low, high = draw(st.sampled_from([(0, 7), (-1, 9), (-5, 40)]))
    days, items, cents = np.cumsum(steps), random.integers(low, high, n), random.integers(0, 1 << 20, n)
    return (1000 + days).tolist(), items.tolist(), cents.tolist()


@given(
    stream=streams(),
    high_key=st.sampled_from([4, 5, 100]),
    wide=st.booleans(),
    way=st.sampled_from(WAYS),
    unit=st.sampled_from([1, 7, 100, 4096]),
)
def test_categories_are_looked_up_where_sales_are_summed(
    stream: tuple[list[int], list[int], list[int]], high_key: int, wide: bool, way: dict[str, Any], unit: int
) -> None:
    one_by_one = sales(*stream, high_key, wide)
    found = sales(*stream, high_key, wide)
    assert measured(found, Options(**way, unit=unit)) == measured(one_by_one, UNFUSED)
    assert found.operators[2].lines() == one_by_one.operators[2].lines()


def test_categories_are_looked_up_there_only_if_their_sums_are_few() -> None:
    assert is_fused(sales([1], [1], [1], 4, False), 2, 2)
    assert not is_fused(sales([1], [1], [1], 3, False), 2, 2)


def test_as_many_sales_of_one_category_as_a_unit_can_hold_are_summed_to_the_cent() -> None:
    n = 1 << 16
    pipeline = sales([1] * n + [2], [0] * (n + 1), [3] * n + [7], 4, False)
    execute(pipeline, Options(engine="serial", unit=n, trace=True))
    ((category, slope, _),) = pipeline.operators[2].lines()
    assert (category, slope) == (3, (7 - 3 * n) / 100)
