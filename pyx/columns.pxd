"""Columns of a unit, for operators: rows in, rows out. For users: see ``streambench.pyx.tuples.columns``."""

from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, digest_columns, emit, emit_from, fail, keys_of, reserve, reserve_heap, reset, reset_as, widen
