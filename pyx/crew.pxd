"""The workers of an engine."""

from libc.stdint cimport int64_t
from streambench.pyx.egress cimport Egress
from streambench.pyx.padded cimport PaddedCounter

cdef class Crew:
    cdef readonly Egress egress
    cdef int workers
    cdef tuple cores
    cdef PaddedCounter* running         # workers that have not returned yet
    cdef readonly int64_t begun_ns      # the start, by both clocks
    cdef readonly int64_t begun_ticks
    cdef int64_t ended_ns
    cdef void work(self, int number) noexcept nogil
