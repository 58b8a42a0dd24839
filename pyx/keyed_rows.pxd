"""The state of keys: a row of whole cache lines for each."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector

cdef enum:
    AHEAD = 32                              # rows by which a loop prefetches; measured, not critical

cdef struct FarKey:
    int64_t key
    char* row

cdef class KeyedRows:
    # Of keys 0 to near_keys - 1, indexed by key. A loop holds both in local variables, and asks `far` for other keys.
    cdef char* near
    cdef uint64_t near_keys
    cdef readonly int64_t row_size
    cdef size_t mapped                      # bytes
    cdef void* tables                       # of the module's FarRows, one for each partition
    cdef int32_t partitions
    cdef vector[FarKey] far_in_order        # once the flush has begun
    cdef int64_t next_near
    cdef size_t next_far
    cdef bint flushing
    cdef void open(self, int32_t partitions, int64_t bound) noexcept
    cdef void clear(self) noexcept
    cdef char* far(self, int32_t partition, int64_t key) noexcept nogil
    cdef void begin_flush(self) noexcept nogil
    cdef char* next_in_order(self, int64_t* key) noexcept nogil

cdef inline int32_t row_at(const uint32_t* selected, int32_t i) noexcept nogil:
    """Which row is the i-th of those that a partitioned operator is called with."""
    return <int32_t>selected[i] if selected is not NULL else i
