"""The worklist of a partitioned stateful operator."""

from libc.stdint cimport int64_t
from streambench.pyx.mpmc_queue cimport MpmcQueue
from streambench.pyx.padded cimport PaddedCounter
from streambench.pyx.spsc_queue cimport SpscQueue

cdef class Consumer:
    """Who processes what a partitioned worklist gives out: never two calls for one partition at a time, in order."""
    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil
    cdef void partition_left(self, void* visit) noexcept nogil

cdef class PartitionedWorklist:
    """A partitioning scheme: hybrid, partitioned-queue and shared-queue schemes share this seam."""
    cdef readonly int64_t partitions
    cdef void add(self, int64_t partition, void* item) noexcept nogil
    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil

cdef class HybridQueue(PartitionedWorklist):
    cdef MpmcQueue master               # one entry per waiting item: its partition
    cdef SpscQueue* queues              # one per partition
    cdef PaddedCounter* counts          # items of a partition that its active worker has still to process
