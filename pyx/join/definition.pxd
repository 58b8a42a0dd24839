"""What is joined: two streams in memory, the predicate, the window."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.join.predicate cimport Predicate
from streambench.pyx.join.ready_batch cimport LEFT, Streams
from streambench.pyx.join.terms cimport Terms, holds_all
from streambench.pyx.tuples.columns cimport Columns

cdef class Definition:
    cdef Streams streams
    cdef Terms terms
    cdef Predicate predicate            # None where there is none
    cdef bint has_predicate
    cdef Columns columns[2]             # what the predicate reads
    cdef list kept                      # the arrays
    cdef int64_t widest[2]              # rows of each side that are in the window at a time
    cdef size_t keep(self, array, dtype) except? 0
    cdef int require_declared(self, int32_t side, columns) except -1
    cdef int add_term(self, left, right, width) except -1

    cdef inline bint holds(self, int32_t side, int64_t row, int64_t other) noexcept nogil:
        """Is a row of this side one with a row of the other, windows apart?"""
        cdef int64_t left = row if side == LEFT else other
        cdef int64_t right = other if side == LEFT else row
        return holds_all(&self.terms, left, right) and (
            not self.has_predicate or self.predicate.holds(&self.columns[0], left, &self.columns[1], right))
