"""Threads that drive the runtime's primitives by themselves."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic

cdef class Threads:
    """Runs ``each`` once per thread."""
    cdef atomic[int64_t] begun          # numbers the threads
    cdef atomic[int64_t] arrived        # a barrier: how often any of them has come to it
    cdef int64_t n
    cdef void each(self, int64_t me) noexcept nogil
    cdef void meet(self, int64_t visit) noexcept nogil
