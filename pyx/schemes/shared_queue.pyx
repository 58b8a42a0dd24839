"""The shared-queue scheme (paper 000, section 4.1, figure 5): one queue for the items of all partitions.

Taking an item and taking its partition are one atomic step, under one mutex: with two steps, two workers could take
items of one partition and enter it in the other order (figure 5). While the oldest item's partition is busy nobody can
take anything: the head-of-line blocking that the paper says. A worker then goes away instead of waiting with the mutex,
so it can be of use at another operator, and nothing can deadlock.
"""

from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.queues.growing_queue cimport delete_queues, holds_item, new_queues, peek, push, take
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.simulated cimport PARTITION, WORKLIST, roused, slept, touch
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.machine.yield_points cimport yield_point

cdef int64_t UNTIL_ROUSED = <int64_t>1 << 60       # ns


cdef class SharedQueue(PartitionedWorklist):
    """One queue for all items, its consumers' end under a mutex; the producer's end needs none.

    Memory: 128 bytes per partition, and at most 64 for each of the most items that ever waited at a time.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        self.items = new_queues(1, partitions * capacity)           # units can have an item in every partition
        self.partition_of = new_queues(1, partitions * capacity)
        self.busy = new_counters(partitions)
        self.taking = new PaddedMutex()

    def __dealloc__(self):
        delete_queues(self.items, 1)
        delete_queues(self.partition_of, 1)
        delete_counters(self.busy)
        del self.taking

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        # Never full: ingress credit. The item goes in first, so that one whose partition is known is there.
        touch(WORKLIST, &self.items.head)
        while not push(self.items, <int64_t>item):
            yield_core()
        yield_point()
        touch(WORKLIST, &self.partition_of.head)
        while not push(self.partition_of, partition):
            yield_core()

    cdef void lock(self) noexcept nogil:
        cdef bint mine
        touch(WORKLIST, self.taking)
        mine = self.taking.try_lock()
        # on a simulated machine, where the holder is in this thread
        while not mine and slept(self.taking, UNTIL_ROUSED):
            touch(WORKLIST, self.taking)
            mine = self.taking.try_lock()
        if not mine:
            self.taking.lock()

    cdef bint try_take(self, int64_t* item, int64_t* partition) noexcept nogil:
        """Take the oldest item together with its partition; False if there is none, or if its partition is busy."""
        cdef bint free_now = False
        self.lock()
        if holds_item(self.partition_of):
            partition[0] = peek(self.partition_of)
            # Acquire pairs with the release in consume: what the last worker in the partition did is seen.
            free_now = self.busy[partition[0]].value.load(memory_order_acquire) == 0
            yield_point()
            if free_now:
                self.busy[partition[0]].value.store(1, memory_order_relaxed)
                yield_point()
                take(self.partition_of)
                item[0] = take(self.items)
        touch(WORKLIST, self.taking)
        self.taking.unlock()
        roused(self.taking, 1)
        return free_now

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        cdef int64_t used = 0, item = 0, partition = 0, last
        while used < budget and self.try_take(&item, &partition):
            yield_point()
            last = consumer.operate(partition, <void*>item, visit)
            used += last if last >= 0 else -last
            yield_point()
            if last >= 0:
                self.give_back(partition, consumer, visit)
            yield_point()
            consumer.partition_left(visit)
        return used

    cdef int64_t give_back(self, int64_t partition, Consumer consumer, void* visit) noexcept nogil:
        touch(PARTITION, &self.busy[partition])
        self.busy[partition].value.store(0, memory_order_release)               # pairs with try_take
        return 0
