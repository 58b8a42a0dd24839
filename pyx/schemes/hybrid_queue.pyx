"""The hybrid queue (paper 000, section 4.3, figure 7, theorem 4.1).

A queue per partition holds the items, a master queue the partitions in order of arrival. A worker takes a partition
from the master queue; if another worker is active in it, the item is delegated by incrementing the partition's count.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acq_rel
from streambench.pyx.queues.growing_queue cimport delete_queues, new_queues, pop_shared, push, take
from streambench.pyx.machine.simulated cimport PARTITION, WORKLIST, touch
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.machine.yield_points cimport yield_point


cdef inline bint next_item(GrowingQueue* master, int64_t* partition) noexcept nogil:
    touch(WORKLIST, &master.tail)
    return pop_shared(master, partition)


cdef class HybridQueue(PartitionedWorklist):
    """A queue per partition, and their master queue.

    Memory: some 400 bytes per partition, and at most 64 for each of the most items that ever waited at a time.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        self.master = new_queues(1, partitions * capacity)
        self.queues = new_queues(partitions, capacity)

    def __dealloc__(self):
        delete_queues(self.master, 1)
        delete_queues(self.queues, self.partitions)

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        # Never full: ingress credit. The item goes in first: theorem 4.1 needs a take to succeed.
        touch(WORKLIST, &self.queues[partition].head)
        while not push(&self.queues[partition], <int64_t>item):
            yield_core()
        yield_point()
        touch(WORKLIST, &self.master.head)
        while not push(self.master, partition):
            yield_core()

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        cdef int64_t partition = 0, used = 0
        cdef GrowingQueue* queue
        while used < budget and next_item(self.master, &partition):
            yield_point()
            queue = &self.queues[partition]
            touch(PARTITION, &queue.tail)
            # acq_rel: who takes the count up from 0 sees all that the last active worker of the partition did; and who
            # delegates has seen the item in the queue, so that the active worker, who reads the count, does too.
            if queue.claims.fetch_add(1, memory_order_acq_rel) != 0:
                continue                # delegated to the partition's active worker
            used += self.stay(partition, consumer, visit)
        return used

    cdef int64_t give_back(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil:
        touch(PARTITION, &self.queues[partition].tail)
        if self.queues[partition].claims.fetch_sub(1, memory_order_acq_rel) == 1:
            return 0
        return self.stay(partition, consumer, visit)        # what has been delegated meanwhile

    cdef int64_t stay(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil:
        """As the partition's active worker: process its items until none is claimed any more,
        or one keeps the partition."""
        cdef GrowingQueue* queue = &self.queues[partition]
        cdef int64_t used = 0, last
        while True:
            yield_point()
            last = consumer.operate(partition, <void*>take(queue), visit)
            used += last if last >= 0 else -last
            if last < 0:
                break                   # it is counted among the claims still, and nobody takes them to 0
            yield_point()
            touch(PARTITION, &queue.tail)
            if queue.claims.fetch_sub(1, memory_order_acq_rel) == 1:
                break
        yield_point()
        consumer.partition_left(visit)
        return used
