"""The types of items, and the 64 bits that values of theirs are counted by."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as is_

from streambench.errors import DataError

Bits = npt.NDArray[np.uint64]
TEXTS = (is_.is_string, is_.is_large_string, is_.is_string_view)
BYTES = (is_.is_binary, is_.is_large_binary, is_.is_binary_view)
TIMES = (is_.is_date, is_.is_time, is_.is_timestamp, is_.is_duration)
AS_THEY_ARE = (is_.is_boolean, is_.is_floating, *TIMES)


def item_type(type: pa.DataType) -> pa.DataType:
    """As which items of an Arrow type are counted: integers as int64 or uint64, texts as large_string, bytes as
    large_binary, booleans, floats and times as they are; a dictionary's as its values are. Raises DataError for any
    other.
    """
    if is_.is_dictionary(type):
        return item_type(type.value_type)
    if is_.is_integer(type):
        return pa.int64() if is_.is_signed_integer(type) else pa.uint64()
    if any(each(type) for each in TEXTS):
        return pa.large_string()
    if any(each(type) for each in BYTES):
        return pa.large_binary()
    if not any(each(type) for each in AS_THEY_ARE):
        raise DataError(f"values of type {type} cannot be counted: cast them to integers or strings.")
    return type


def bits_of(array: pa.Array) -> Bits:
    """The 64 bits of each value; equal values have equal bits: 0.0 and -0.0, and any two NaN. Not for texts.

    ``array``: of a type that ``item_type`` returns, without nulls. Without a copy where values have 64 bits.
    """
    type = array.type
    if is_.is_floating(type):
        values = array.to_numpy() + np.zeros(1, array.to_numpy().dtype)  # -0.0 + 0.0 is 0.0
        values[np.isnan(values)] = np.nan
        return np.asarray(values.view(f"u{values.itemsize}").astype(np.uint64))
    if is_.is_boolean(type):
        array = array.cast(pa.uint8()).cast(pa.uint64())
    elif any(each(type) for each in TIMES):
        array = array.view(_integer(type)).cast(pa.int64())
    bits: Bits = array.to_numpy().view(np.uint64)
    return bits


def values_of(bits: Bits, type: pa.DataType) -> pa.Array:
    """The values that have these bits: the inverse of ``bits_of``."""
    if is_.is_floating(type):
        width = type.bit_width // 8
        held: npt.NDArray[Any] = bits.astype(f"u{width}").view(f"f{width}")
        return pa.array(held, type)
    if is_.is_boolean(type):
        return pa.array(bits.astype(bool))
    if is_.is_unsigned_integer(type):
        return pa.array(bits)
    signed = pa.array(bits.view(np.int64))
    return signed if type == pa.int64() else signed.cast(_integer(type)).view(type)


def _integer(type: pa.DataType) -> pa.DataType:
    return pa.int64() if type.bit_width == 64 else pa.int32()
