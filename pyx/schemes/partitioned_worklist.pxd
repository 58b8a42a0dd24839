"""The worklist of a partitioned stateful operator, whatever the partitioning scheme."""

from libc.stdint cimport int64_t

cdef class Consumer:
    """Who processes what a partitioned worklist gives out: never two calls for one partition at a time, in order."""
    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil
    cdef void partition_left(self, void* visit) noexcept nogil

cdef class PartitionedWorklist:
    """A partitioning scheme."""
    cdef readonly int64_t partitions
    cdef void add(self, int64_t partition, void* item) noexcept nogil
    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil
    cdef int64_t give_back(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil
