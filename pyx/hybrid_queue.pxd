"""The hybrid-queue partitioning scheme."""

from libc.stdint cimport int64_t
from streambench.pyx.mpmc_queue cimport MpmcQueue
from streambench.pyx.padded cimport PaddedCounter
from streambench.pyx.partitioned_worklist cimport Consumer, PartitionedWorklist
from streambench.pyx.spsc_queue cimport SpscQueue

cdef class HybridQueue(PartitionedWorklist):
    cdef MpmcQueue master               # one entry per waiting item: its partition
    cdef SpscQueue* queues              # one per partition
    cdef PaddedCounter* counts          # items of a partition that its active worker has still to process
