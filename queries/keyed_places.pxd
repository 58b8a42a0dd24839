"""Where a partitioned operator keeps the state of a key."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.flat_map cimport unordered_flat_map

cdef struct KeyPlace:
    int64_t key
    int32_t partition
    int32_t place

cdef class KeyedPlaces:
    cdef vector[unordered_flat_map[int64_t, int32_t]] places    # per partition: key -> place, counted from 1
    cdef vector[KeyPlace] ordered                               # all of them by key, once the flush has begun
    cdef size_t next
    cdef bint flushing
    cdef int open(self, int32_t partitions) except -1
    cdef KeyPlace* next_in_order(self) noexcept nogil
    cdef void begin_flush(self) noexcept nogil

    cdef inline int32_t find(self, int32_t partition, int64_t key) noexcept nogil:
        """The place of a key in its partition: 0, 1, ... in the order in which keys appear, so a new key's is the next."""
        cdef int32_t* place = &self.places[partition][key]      # 0 where it is new
        if place[0] == 0:
            place[0] = <int32_t>self.places[partition].size()
        return place[0] - 1
