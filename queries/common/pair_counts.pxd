"""Running counts of pairs."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.state.count_table cimport CountTable
from streambench.pyx.tuples.operator cimport PartitionedStateful

cdef inline uint64_t pack(int64_t a, int64_t b) noexcept nogil:
    """Two keys below 2**31, which the loader guarantees, as one."""
    return (<uint64_t>a << 32) | <uint64_t>b

@cython.final
cdef class PairCounts(PartitionedStateful):
    cdef bint windowed                                  # the window is the first column read;
                                                        # else one for the whole stream
    cdef int32_t first                                  # of the columns read, which is the pair's
                                                        # first; the other is behind it
    cdef bint key_is_first                              # partition by the pair's first member, not by both
    cdef CountTable* tables                             # per partition, and behind them one for all
    cdef bint joint                                     # the one for all is used: faster where one worker has all
    cdef int32_t n_tables
    cdef vector[int64_t] windows                        # per partition, the window that is counted
    cdef int close(self) except -1
    cdef void begin_window(self, int32_t partition, int64_t window) noexcept nogil
    cdef void divide(self) noexcept nogil
    cdef int64_t held(self) noexcept nogil
    cdef void pack_keys(self, Columns* rows, const uint32_t* selected, int32_t begin, int32_t n,
                        uint64_t* keys) noexcept nogil
    cdef void count(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t begin, int32_t end,
                    int64_t* result) noexcept nogil
