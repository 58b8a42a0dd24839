"""The partitioned-queue partitioning scheme."""

from libc.stdint cimport int64_t
from streambench.pyx.padded cimport PaddedCounter
from streambench.pyx.partitioned_worklist cimport Consumer, PartitionedWorklist
from streambench.pyx.spsc_queue cimport SpscQueue

cdef class PartitionedQueue(PartitionedWorklist):
    cdef SpscQueue* queues              # one per partition
    cdef PaddedCounter* held            # per partition, 1 while a worker is in it
    cdef PaddedCounter* visits          # how many there were: each starts to look one partition further on
    cdef bint try_hold(self, int64_t partition) noexcept nogil
