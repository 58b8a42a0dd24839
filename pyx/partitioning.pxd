"""From keys to partitions, and the index of a unit by partition."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from streambench.pyx.operator cimport PartitionedStateful
from streambench.pyx.unit cimport Unit

@cython.final
cdef class Partitioning:
    cdef readonly int32_t partitions
    cdef readonly bint by_range
    cdef int64_t low
    cdef int64_t high
    cdef int32_t partition(self, int64_t key) noexcept nogil
    cdef void open_group(self, Unit* unit, int32_t g, int32_t partition, int32_t begin, int32_t end) noexcept nogil
    cdef void scatter(self, PartitionedStateful operator, Unit* unit) noexcept nogil
    cdef void scatter_to_all(self, PartitionedStateful operator, Unit* unit) noexcept nogil

cdef void merge_groups(Unit* unit, int32_t width, int32_t list_column, int32_t limit) noexcept nogil
