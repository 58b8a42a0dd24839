"""The partitioned-queue scheme (paper 000, section 4.2, figure 6): different workers process different queues.

The paper allots workers to queues; here a visit takes a queue that has items and no worker, and keeps it until it is
empty or the budget is used. Items of queues without a worker wait, however old: what figure 6 says against the scheme.
"""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.padded cimport delete_counters, new_counters
from streambench.pyx.spsc_queue cimport clear_spsc, init_spsc, spsc_pop, spsc_push
from streambench.pyx.threads cimport yield_core
from streambench.pyx.yield_points cimport yield_point


cdef inline bint seems_empty(SpscQueue* queue) noexcept nogil:
    # Relaxed and without holding the partition: a hint. What it misses, a later visit finds.
    return queue.at[0].value.load(memory_order_relaxed) == queue.at[1].value.load(memory_order_relaxed)


cdef class PartitionedQueue(PartitionedWorklist):
    """A queue per partition, each with a lock that is only ever tried.

    Memory with p partitions and capacity c: 8 bytes for each of a partition's c entries, rounded up to a power of two;
    and 408 per partition for positions and locks.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        cdef int64_t p
        self.queues = <SpscQueue*>calloc(partitions, sizeof(SpscQueue))
        if self.queues is NULL:
            raise MemoryError()
        for p in range(partitions):
            init_spsc(&self.queues[p], capacity)
        self.held = new_counters(partitions)
        self.visits = new_counters(1)

    def __dealloc__(self):
        cdef int64_t p
        if self.queues is not NULL:
            for p in range(self.partitions):
                clear_spsc(&self.queues[p])
            free(self.queues)
        delete_counters(self.held)
        delete_counters(self.visits)

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        while not spsc_push(&self.queues[partition], item):     # never full: ingress credit
            yield_core()

    cdef bint try_hold(self, int64_t partition) noexcept nogil:
        """Take the partition if it seems worth it; a look before the exchange leaves the others' cache lines shared."""
        if seems_empty(&self.queues[partition]) or self.held[partition].value.load(memory_order_relaxed) != 0:
            return False
        yield_point()
        # Acquire pairs with the release in consume: what the last worker in the partition did is seen.
        return self.held[partition].value.exchange(1, memory_order_acquire) == 0

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        # Any `partitions` visits in a row start at as many different places, so no partition starves behind a busy one.
        cdef int64_t partition = self.visits[0].value.fetch_add(1, memory_order_relaxed) % self.partitions
        cdef int64_t passed = 0         # partitions in a row that gave nothing
        cdef int64_t used = 0, used_before
        cdef void* item = NULL
        while used < budget and passed < self.partitions:
            passed += 1
            if self.try_hold(partition):
                yield_point()
                used_before = used
                while used < budget and spsc_pop(&self.queues[partition], &item):
                    yield_point()
                    used += consumer.operate(partition, item, visit)
                    yield_point()
                self.held[partition].value.store(0, memory_order_release)       # pairs with try_hold
                yield_point()
                # An item that was added since the last pop is left to a later visit, ours or another's.
                if used > used_before:
                    passed = 0
                    consumer.partition_left(visit)
            partition += 1
            if partition == self.partitions:
                partition = 0
        return used
