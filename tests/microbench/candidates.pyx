"""Hash tables that can count by 64-bit key, behind one face."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.state.count_table cimport CountTable, clear_table, count_keys, forget_counts, init_table
from streambench.pyx.state.flat_map cimport unordered_flat_map

import numpy as np


cdef class Candidate:
    """Counts keys."""

    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil:
        pass

    def forget(self):
        """Begin anew, the memory kept."""

    def measure(self, const uint64_t[::1] keys, int64_t at_once):
        """Count ``keys``, so many at a time; return (nanoseconds of each time, the counts)."""
        cdef int64_t n = keys.shape[0], k, begin, begun
        times, counts = np.empty(-(-n // at_once), dtype=np.int64), np.empty(n, dtype=np.int64)
        cdef int64_t[::1] to_times = times, to_counts = counts
        counts.fill(0)                  # its pages are not to be counted
        with nogil:
            for k in range(to_times.shape[0]):
                begin = k * at_once
                begun = nanoseconds()
                self.count(&keys[begin], min(at_once, n - begin), &to_counts[begin])
                to_times[k] = nanoseconds() - begun
        return times, counts


cdef class FlatMap(Candidate):
    """Boost's unordered_flat_map."""

    cdef unordered_flat_map[uint64_t, int64_t] map

    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil:
        cdef int64_t k
        cdef int64_t* count
        for k in range(n):
            count = &self.map[keys[k]]
            count[0] += 1
            counts[k] = count[0]

    def forget(self):
        self.map.clear()


cdef class Chained(Candidate):
    """The standard library's unordered_map: a list of nodes a bucket."""

    cdef unordered_map[uint64_t, int64_t] map

    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil:
        cdef int64_t k
        cdef int64_t* count
        for k in range(n):
            count = &self.map[keys[k]]
            count[0] += 1
            counts[k] = count[0]

    def forget(self):
        self.map.clear()


cdef class Runs(Candidate):
    """The table of ``streambench.pyx.state.count_table``, given all keys at once, so that it can prefetch."""

    cdef CountTable table

    def __cinit__(self):
        init_table(&self.table)

    def __dealloc__(self):
        clear_table(&self.table)

    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil:
        count_keys(&self.table, keys, <int>n, counts)

    def forget(self):
        forget_counts(&self.table)


cdef class Single(Runs):
    """The same table, given key after key: nothing can be prefetched."""

    cdef void count(self, const uint64_t* keys, int64_t n, int64_t* counts) noexcept nogil:
        cdef int64_t k
        for k in range(n):
            count_keys(&self.table, &keys[k], 1, &counts[k])
