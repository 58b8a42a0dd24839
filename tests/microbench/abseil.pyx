"""Abseil's flat_hash_map, where it is installed."""

from candidates cimport Candidate
from libc.stdint cimport int64_t, uint64_t


cdef extern from "absl/container/flat_hash_map.h" namespace "absl" nogil:
    cppclass flat_hash_map[K, V]:
        flat_hash_map() except +
        V& operator[](K)
        void clear()


cdef class SwissMap(Candidate):
    """Open addressing, sixteen slots to a probe; the table that Boost's follows."""

    cdef flat_hash_map[uint64_t, int64_t] map

    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil:
        cdef int64_t k
        cdef int64_t* count
        for k in range(n):
            count = &self.map[keys[k]]
            count[0] += 1
            counts[k] = count[0]

    def forget(self):
        self.map.clear()
