"""Columns of a unit, for operators: rows in, rows out. For users: see ``streambench.pyx.tuples.columns``."""

from streambench.pyx.tuples.columns cimport (
    MAX_COLUMNS, Columns, digest_columns, emit, emit_from, fail, integer_at, keys_of, put_integer, reserve,
    reserve_heap, reset, reset_after, reset_as, widen,
)
