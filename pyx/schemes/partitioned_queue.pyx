"""The partitioned-queue partitioning scheme (paper 000, section 4.2, figure 6): different
workers process different queues.

The paper allots workers to queues; here a visit takes a queue that has items and no worker, and keeps it until it is
empty or the budget is used. Items of queues without a worker wait, however old: what figure 6 says against the scheme.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.queues.growing_queue cimport delete_queues, new_queues, pop_alone, push, seems_empty
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport PARTITION, WORKLIST, look, touch
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.machine.yield_points cimport yield_point


cdef class PartitionedQueue(PartitionedWorklist):
    """A queue per partition, each with a lock that is only ever tried.

    Memory: some 400 bytes per partition, and at most 32 for each of the most items that ever waited in it.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        self.queues = new_queues(partitions, capacity)
        self.visits = new_counters(1)

    def __dealloc__(self):
        delete_queues(self.queues, self.partitions)
        delete_counters(self.visits)

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        touch(WORKLIST, &self.queues[partition].head)
        while not push(&self.queues[partition], <int64_t>item):     # never full: ingress credit
            yield_core()

    cdef bint try_hold(self, GrowingQueue* queue) noexcept nogil:
        """Take the partition if it seems worth it; a look before the exchange leaves the others' cache lines shared."""
        look(WORKLIST, &queue.head)
        look(PARTITION, &queue.tail)
        if seems_empty(queue) or queue.claims.load(memory_order_relaxed) != 0:
            return False
        yield_point()
        touch(PARTITION, &queue.tail)
        # Acquire pairs with the release in consume: what the last worker in the partition did is seen.
        return queue.claims.exchange(1, memory_order_acquire) == 0

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        touch(WORKLIST, self.visits)
        # Any `partitions` visits in a row start at as many different places, so no partition starves behind a busy one.
        cdef int64_t partition = self.visits[0].value.fetch_add(1, memory_order_relaxed) % self.partitions
        cdef int64_t passed = 0         # partitions in a row that gave nothing
        cdef int64_t used = 0, used_before, item = 0, last
        cdef GrowingQueue* queue
        while used < budget and passed < self.partitions:
            passed += 1
            queue = &self.queues[partition]
            if self.try_hold(queue):
                yield_point()
                used_before = used
                last = 0
                while last >= 0 and used < budget and pop_alone(queue, &item):
                    yield_point()
                    last = consumer.operate(partition, <void*>item, visit)
                    used += last if last >= 0 else -last
                    yield_point()
                if last >= 0:
                    self.give_back(partition, consumer, visit)
                yield_point()
                # An item that was added since the last pop is left to a later visit, ours or another's.
                if used > used_before:
                    passed = 0
                    consumer.partition_left(visit)
            partition += 1
            if partition == self.partitions:
                partition = 0
        return used

    cdef int64_t give_back(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil:
        touch(PARTITION, &self.queues[partition].tail)
        self.queues[partition].claims.store(0, memory_order_release)            # pairs with try_hold
        return 0
