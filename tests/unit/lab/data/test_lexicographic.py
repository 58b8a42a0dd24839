"""Rows are compared as Python compares tuples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streambench.lab.data.lexicographic import Int64Array, first_descent, stable_order

ROWS = st.lists(st.tuples(*[st.integers(-1, 1)] * 3), min_size=1, max_size=8)


def columns_of(rows: list[tuple[int, ...]]) -> list[Int64Array]:
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]


@pytest.mark.slow
@settings(max_examples=200)
@given(ROWS, st.none() | st.just((0, 0, 0)))
def test_the_first_descent_is_the_one_python_finds(rows: list[tuple[int, ...]], last: tuple[int, ...] | None) -> None:
    before = [last, *rows[:-1]]
    wanted = next((i for i, (a, b) in enumerate(zip(before, rows, strict=True)) if a is not None and b < a), None)
    assert first_descent(columns_of(rows), last) == wanted


@settings(max_examples=200)
@given(ROWS)
def test_the_order_is_that_of_a_stable_sort(rows: list[tuple[int, ...]]) -> None:
    wanted = sorted(range(len(rows)), key=rows.__getitem__)
    order = stable_order(columns_of(rows))
    assert (list(range(len(rows))) if order is None else order.tolist()) == wanted
    assert (order is None) == (wanted == list(range(len(rows))))


def test_no_rows_do_not_descend() -> None:
    empty = [np.empty(0, dtype=np.int64)] * 2
    assert first_descent(empty, (1, 2)) is None
    assert stable_order(empty) is None
