"""Nulls at the border: Arrow has a bit for them, a column of the runtime a value that stands for null, its sentinel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streambench.pyx.tuples.data_types import Value


def sentinels(nulls: Any, types: Mapping[str, pa.DataType]) -> dict[str, pa.Scalar]:
    """The sentinels of columns of these types, by name. ``nulls``: a value for each column named, or one for all.

    One for all is that of the columns whose type has it. Raises ValueError for a column that there is not, and for a
    value that its column's type has not.
    """
    if nulls is None:
        return {}
    if not isinstance(nulls, Mapping):
        if not isinstance(nulls, Value):
            raise ValueError(f"nulls= gives a value that stands for null, or one by column, not {nulls!r}")
        return {name: found for name, type in types.items() if (found := _scalar(nulls, type)) is not None}
    found = {}
    for name, value in nulls.items():
        if name not in types:
            raise ValueError(f"there is no column {name} to have nulls: there are {', '.join(types)}")
        scalar = _scalar(value, types[name])
        if scalar is None:
            raise ValueError(
                f"column {name} is {types[name]} and cannot hold {value!r} for null: name a value that it can"
            )
        found[name] = scalar
    return found


def _scalar(value: Any, type: pa.DataType) -> pa.Scalar | None:
    if value is None or isinstance(value, bool) is not pa.types.is_boolean(type):
        return None
    if isinstance(value, np.timedelta64):  # whose unit a column of integers has not
        return None
    try:
        scalar = pa.scalar(value, type)
        return scalar if is_nan(scalar) or bool(scalar.as_py() == value) else None  # 2.5 as an integer would be 2
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None


def is_nan(sentinel: pa.Scalar) -> bool:
    """Is it the one sentinel that equals nothing?"""
    return pa.types.is_floating(sentinel.type) and math.isnan(sentinel.as_py())


def stands_for_null(values: pa.Array, sentinel: pa.Scalar) -> pa.BooleanArray:
    """Where ``values`` hold the sentinel."""
    return pc.is_nan(values) if is_nan(sentinel) else pc.equal(values, sentinel)


def with_nulls(values: pa.Array, sentinel: pa.Scalar) -> pa.Array:
    """``values``, which have no nulls, with null where they hold the sentinel; only a slice is copied."""
    valid = pc.invert(stands_for_null(values, sentinel))
    if values.offset:
        return pc.if_else(valid, values, pa.scalar(None, values.type))
    (_, bits), (_, memory) = valid.buffers(), values.buffers()
    return pa.Array.from_buffers(values.type, len(values), [bits, memory])
