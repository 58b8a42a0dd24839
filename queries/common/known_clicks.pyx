"""Clicks whose user and item are known: the first step of Q2 and Q3."""

cimport cython
from libc.stdint cimport int32_t
from streambench.pyx.tuples.columns cimport Columns, reserve
from streambench.pyx.tuples.operator cimport Stateless
from streambench.pyx.tuples.keep_rows cimport NOT_NULL, keep_rows


@cython.final
cdef class KnownClicks(Stateless):
    """SL: drop clicks with no user or no item (-1). ``columns``: those of input and output, (ts, user, item, ...)."""

    def __init__(self, columns):
        self.columns = tuple(columns)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        reserve(out, rows.n)
        out.n = keep_rows(rows.column[1], rows.column[2], NOT_NULL, rows.n, out.width, rows.column, out.column)
        return -1
