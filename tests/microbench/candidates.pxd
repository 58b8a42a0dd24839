"""The face that all candidates share."""

from libc.stdint cimport int64_t, uint64_t


cdef class Candidate:
    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil
