"""Decimals come in as scaled integers and go back as they were: any width of the type, in slices, with nulls."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streambench
from streambench import ArrowSource, Pipeline, TableSink
from streambench.errors import DataError

TYPES = [pa.decimal32(7, 2), pa.decimal64(18, 4), pa.decimal128(1, 0), pa.decimal128(18, 18), pa.decimal256(9, -3)]


@st.composite
def columns(draw: st.DrawFn) -> pa.Array:
    type = draw(st.sampled_from(TYPES))
    most = 10**type.precision - 1
    number = st.integers(-most, most) | st.sampled_from([most, -most, 0, 1, -1])
    nulls = st.none() if draw(st.booleans()) else number
    unscaled = draw(st.lists(number | nulls, max_size=60))
    values = [None if each is None else Decimal(each).scaleb(-type.scale) for each in unscaled]
    return pa.array(values, type)[draw(st.integers(0, 3)) :]


@given(column=columns(), batch=st.sampled_from([1, 7, 100]))
def test_decimals_are_scaled_integers_and_come_back(column: pa.Array, batch: int) -> None:
    table = pa.table({"price": column})
    null = -(1 << 62)
    source = ArrowSource(pa.Table.from_batches(table.to_batches(batch), table.schema), nulls={"price": null})
    pipeline = Pipeline([source, TableSink()])
    pipeline.run()
    held: list[Any] = pipeline.sink.rows()[0].tolist() if len(column) else []
    assert held == [null if each is None else int(each.scaleb(column.type.scale)) for each in column.to_pylist()]
    if len(column):
        assert source.restore(pipeline.sink.to_arrow()).equals(table)


def test_a_function_computes_with_the_scaled_integers() -> None:
    table = pa.table({"price": pa.array([Decimal("12.50"), Decimal("-0.01")], pa.decimal128(7, 2))})
    source = ArrowSource(table)
    doubled = streambench.mapped(emits={"price": "int64"}, numba=False)(lambda price: 2 * price)
    pipeline = Pipeline([source, doubled, TableSink()])
    pipeline.run()
    assert source.restore(pipeline.sink.to_arrow())["price"].to_pylist() == [Decimal("25.00"), Decimal("-0.02")]


def test_a_number_beyond_the_decimals_type_is_not_taken_for_one() -> None:
    source = ArrowSource(pa.table({"price": pa.array([Decimal("999.99")], pa.decimal128(5, 2))}))
    doubled = streambench.mapped(emits="price", numba=False)(lambda price: 2 * price)
    pipeline = Pipeline([source, doubled, TableSink()])
    pipeline.run()
    with pytest.raises(DataError, match=r"column price holds 199998 in row 0, which decimal128\(5, 2\) cannot hold"):
        source.restore(pipeline.sink.to_arrow())
