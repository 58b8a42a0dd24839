"""What a join's pairs must meet beside its bands and equalities: a user's own function."""

from libc.stdint cimport int64_t
from streambench.pyx.tuples.columns cimport Columns

cdef class Predicate:
    cdef readonly tuple left            # the columns that `holds` reads, in the order it finds them in:
                                        # names, or (name, type)
    cdef readonly tuple right
    cdef bint holds(self, Columns* left, int64_t left_row, Columns* right, int64_t right_row) noexcept nogil
