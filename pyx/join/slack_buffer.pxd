"""A source of a gate that may be out of order within a stated slack."""

from libc.stdint cimport INT64_MIN, int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.scale_gate cimport ScaleGate
from streambench.pyx.tuples.columns cimport Columns

# In C++ for the standard library's heap, which wants an order of its items.
cdef extern from "waiting_heap.h":
    cppclass Waiting "streambench::Waiting" nogil:
        int64_t ts
        int64_t arrival
        int64_t place                   # of its record

    # see `memory`
    void push_waiting "streambench::push_waiting"(vector[Waiting]& heap, const Waiting& one) noexcept nogil
    void pop_waiting "streambench::pop_waiting"(vector[Waiting]& heap) noexcept nogil

cdef class SlackBuffer:
    cdef ScaleGate gate
    cdef int32_t source
    cdef int64_t slack
    cdef readonly int64_t late          # tuples that came too late, and were left out
    cdef int64_t highest                # time of all tuples so far; where there is slack
    cdef int64_t promised               # by the source: it has nothing earlier any more
    cdef int64_t arrivals
    cdef vector[Waiting] heap
    cdef vector[char] records           # of those that wait
    cdef vector[int64_t] places         # free ones among them
    cdef int64_t offer(self, const int64_t* ts, Columns* rows, int64_t begin, int64_t n) noexcept nogil
    cdef void promise(self, int64_t ts) noexcept nogil
    cdef bint finish(self) noexcept nogil
    cdef int64_t offer_in_order(self, const int64_t* ts, Columns* rows, int64_t begin, int64_t n) noexcept nogil
    cdef void keep(self, int64_t ts, Columns* rows, int64_t row) noexcept nogil
    cdef bint let_out(self, int64_t until) noexcept nogil
    cdef inline int64_t bound(self) noexcept nogil:
        """Nothing earlier than this is taken any more."""
        return max(self.promised, self.highest - self.slack if self.highest >= INT64_MIN + self.slack else INT64_MIN)
