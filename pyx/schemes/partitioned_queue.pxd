"""The partitioned-queue partitioning scheme."""

from libc.stdint cimport int64_t
from streambench.pyx.queues.growing_queue cimport GrowingQueue
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist

cdef class PartitionedQueue(PartitionedWorklist):
    cdef GrowingQueue* queues           # one per partition. `claims`: 1 while a worker is in it
    cdef PaddedCounter* visits          # how many there were: each starts to look one partition further on
    cdef bint try_hold(self, GrowingQueue* queue) noexcept nogil
