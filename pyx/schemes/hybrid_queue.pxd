"""The hybrid-queue partitioning scheme."""

from libc.stdint cimport int64_t
from streambench.pyx.queues.growing_queue cimport GrowingQueue
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist

cdef class HybridQueue(PartitionedWorklist):
    cdef GrowingQueue* master           # one entry per waiting item: its partition
    # One per partition. `claims`: the partition's count, of the items that its active worker has still to process.
    cdef GrowingQueue* queues
    cdef int64_t stay(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil
