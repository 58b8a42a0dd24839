"""Columns as arrays of their types. For users: see ``streambench.pyx.tuples.typed_columns``."""

from streambench.pyx.tuples.typed_columns cimport (
    binary_column, bool_column, float32_column, float64_column, int16_column, int32_column, int64_column, int8_column,
    uint16_column, uint32_column, uint64_column, uint8_column,
)
