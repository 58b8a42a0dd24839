"""Running counts of pairs."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns
from streambench.pyx.flat_map cimport unordered_flat_map
from streambench.pyx.operator cimport PartitionedStateful

cdef inline uint64_t pack(int64_t a, int64_t b) noexcept nogil:
    """Two keys below 2**31, which the loader guarantees, as one."""
    return (<uint64_t>a << 32) | <uint64_t>b

@cython.final
cdef class PairCounts(PartitionedStateful):
    cdef int32_t window_column                          # -1: one window for the whole stream
    cdef int32_t first                                  # the pair is in columns `first` and `first` + 1
    cdef bint key_is_first                              # partition by the pair's first member, not by both
    cdef int64_t increment(self, unordered_flat_map[uint64_t, int64_t]* counts, uint64_t key) noexcept nogil
    cdef vector[int64_t] windows                        # per partition, the window that is counted
    cdef vector[unordered_flat_map[uint64_t, int64_t]] counts
