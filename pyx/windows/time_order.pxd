"""The order of time in front of windows."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport Stateful

cdef struct Waiting:
    int64_t time
    int64_t arrival
    int64_t place                       # of its values in the records

cdef class TimeOrder(Stateful):
    cdef int64_t last
    cdef bint has_null
    cdef int64_t null

cdef class TimeSlack(Stateful):
    cdef int32_t time
    cdef int64_t slack
    cdef bint has_null
    cdef int64_t null
    cdef int64_t highest                # time so far
    cdef int64_t arrivals
    cdef int64_t record_size
    cdef readonly int64_t late
    cdef vector[Waiting] waiting        # a heap
    cdef vector[char] records
    cdef vector[int64_t] free           # places
    cdef void keep(self, Columns* rows, int32_t row, int64_t time) noexcept nogil
    cdef int32_t let_out(self, int64_t until, int32_t at_most, Columns* out) noexcept nogil
