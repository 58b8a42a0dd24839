"""Clicks whose user and item are known: the first step of Q2 and Q3."""

cimport cython
from libc.stdint cimport int32_t
from streambench.pyx.tuples.columns cimport Columns, reserve
from streambench.pyx.tuples.keep_rows cimport Kept, begin_blocks, copy_kept, count_kept, drop_nulls, next_block
from streambench.pyx.tuples.operator cimport Stateless

from streambench.queries.common.column_types import KEY, TIME


@cython.final
cdef class KnownClicks(Stateless):
    """SL: drop clicks with no user or no item (-1). ``columns``: those of input and output, the
    time, user, item and others."""

    def __init__(self, columns):
        self.columns = tuple(columns)
        self.reads = {name: TIME if place == 0 else KEY for place, name in enumerate(columns)}
        self.types = tuple(f"={name}" for name in columns)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef Kept kept
        cdef int32_t k
        reserve(out, rows.n)
        begin_blocks(&kept, 0)
        while next_block(&kept, rows.n):
            drop_nulls(&kept, rows, self.at[1])
            drop_nulls(&kept, rows, self.at[2])
            for k in range(out.width):
                copy_kept(&kept, rows, self.at[k], out, k)
            out.n += count_kept(&kept)
        return -1
