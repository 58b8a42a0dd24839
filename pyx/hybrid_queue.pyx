"""The hybrid queue (paper 000, section 4.3, figure 7, theorem 4.1).

A queue per partition holds the items, a master queue the partitions in order of arrival. A worker takes a partition
from the master queue; if another worker is active in it, the item is delegated by incrementing the partition's count.
"""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acq_rel
from streambench.pyx.padded cimport delete_counters, new_counters
from streambench.pyx.spsc_queue cimport clear_spsc, init_spsc, spsc_pop, spsc_push
from streambench.pyx.threads cimport yield_core
from streambench.pyx.yield_points cimport yield_point


cdef class HybridQueue(PartitionedWorklist):
    """A queue per partition, and their master queue.

    Memory with p partitions and capacity c: 16 bytes for each of the master's p c entries, 8 for each of a partition's
    c, both rounded up to powers of two; and 408 per partition for positions and counts.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        cdef int64_t p
        self.master = MpmcQueue(partitions * capacity)
        self.queues = <SpscQueue*>calloc(partitions, sizeof(SpscQueue))
        if self.queues is NULL:
            raise MemoryError()
        for p in range(partitions):
            init_spsc(&self.queues[p], capacity)
        self.counts = new_counters(partitions)

    def __dealloc__(self):
        cdef int64_t p
        if self.queues is not NULL:
            for p in range(self.partitions):
                clear_spsc(&self.queues[p])
            free(self.queues)
        delete_counters(self.counts)

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        # Ingress credit keeps both below their capacity; a master queue can still answer "full" for a moment while a
        # consumer is preempted inside the cell, hence the retry. The item goes in first: theorem 4.1 needs a pop to
        # succeed.
        while not spsc_push(&self.queues[partition], item):
            yield_core()
        yield_point()
        while not self.master.try_push(partition):
            yield_core()

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        cdef int64_t partition, used = 0
        cdef void* item = NULL
        while used < budget and self.master.try_pop(&partition):
            yield_point()
            # acq_rel: who takes the count up from 0 sees all that the last active worker of the partition did.
            if self.counts[partition].value.fetch_add(1, memory_order_acq_rel) != 0:
                continue                # delegated to the partition's active worker
            while True:
                yield_point()
                spsc_pop(&self.queues[partition], &item)
                used += consumer.operate(partition, item, visit)
                yield_point()
                if self.counts[partition].value.fetch_sub(1, memory_order_acq_rel) == 1:
                    break
            yield_point()
            consumer.partition_left(visit)
        return used
