"""A predicate of a join, as a user writes one."""

from libc.stdint cimport int64_t
from streambench.pyx.columns cimport Columns
from streambench.pyx.predicate cimport Predicate
from streambench.pyx.typed_columns cimport float32_column, int64_column


cdef class NearAndOdd(Predicate):
    """Values that differ by an odd number below the left tuple's own width."""

    def __init__(self):
        self.left = ("x", "width")
        self.right = ("a",)

    cdef bint holds(self, Columns* left, int64_t left_row, Columns* right, int64_t right_row) noexcept nogil:
        cdef int64_t difference = int64_column(left, 0)[left_row] - int64_column(right, 0)[right_row]
        cdef float width = float32_column(left, 1)[left_row]
        return difference % 2 != 0 and -width < difference < width
