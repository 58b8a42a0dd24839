"""From keys to partitions."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector

@cython.final
cdef class Partitioning:
    cdef readonly int32_t partitions
    cdef readonly bint by_range
    cdef int64_t low
    cdef int64_t high
    cdef vector[int64_t] bounds     # none: ranges are equal
    cdef int32_t partition(self, int64_t key) noexcept nogil
    cdef void partition_all(self, const int64_t* keys, uint32_t* to, int32_t n) noexcept nogil
