"""Predicates of joins: one as a user writes it, and one that keeps its thread waiting."""

from libc.stdint cimport int64_t
from streambench.pyx.columns cimport Columns
from streambench.pyx.machine.threads cimport sleep_ns
from streambench.pyx.predicate cimport Predicate
from streambench.pyx.typed_columns cimport float32_column, int64_column


cdef class NearAndOdd(Predicate):
    """Values that differ by an odd number below the left tuple's own width."""

    def __init__(self):
        self.left = ("x", ("width", "float32"))
        self.right = ("a",)

    cdef bint holds(self, Columns* left, int64_t left_row, Columns* right, int64_t right_row) noexcept nogil:
        cdef int64_t difference = int64_column(left, 0)[left_row] - int64_column(right, 0)[right_row]
        cdef float width = float32_column(left, 1)[left_row]
        return difference % 2 != 0 and -width < difference < width


cdef class Declares(Predicate):
    """Whatever a test has it declare; every pair matches."""

    def __init__(self, left=(), right=()):
        self.left = left
        self.right = right


cdef class Slow(Predicate):
    """Equal rows match. Every so many of them take a tenth of a second, in which the other threads go to sleep."""

    cdef int64_t every

    def __init__(self, every):
        self.every = every

    cdef bint holds(self, Columns* left, int64_t left_row, Columns* right, int64_t right_row) noexcept nogil:
        if left_row == right_row and left_row % self.every == 0:
            sleep_ns(100_000_000)
        return left_row == right_row
