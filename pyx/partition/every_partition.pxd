"""Operators whose partitions are called with every unit."""

from libc.stdint cimport int32_t
from streambench.pyx.tuples.operator cimport PartitionedStateful

cdef class EveryPartition(PartitionedStateful):
    pass

cdef bint wants_every_unit(PartitionedStateful operator) noexcept nogil
