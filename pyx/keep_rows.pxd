"""Filters, for operators. For users: see ``streambench.pyx.tuples.keep_rows``."""

from streambench.pyx.tuples.keep_rows cimport (
    Kept, begin_blocks, copy_kept, count_kept, drop_nulls, keep_equal, keep_listed, keep_nulls, keep_within, next_block,
    pass_column,
)
