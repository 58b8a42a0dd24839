"""The shared-queue scheme (paper 000, section 4.1, figure 5): one queue for the items of all partitions.

Taking an item and taking its partition are one atomic step, under one mutex: with two steps, two workers could take
items of one partition and enter it in the other order (figure 5). While the oldest item's partition is busy nobody can
take anything: the head-of-line blocking that the paper says. A worker then goes away instead of waiting with the mutex,
so it can be of use at another operator, and nothing can deadlock.
"""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.padded cimport delete_counters, new_counters
from streambench.pyx.threads cimport yield_core
from streambench.pyx.yield_points cimport yield_point


cdef class SharedQueue(PartitionedWorklist):
    """One ring for all items, its consumers' end under a mutex; the producer's end needs none.

    Memory with p partitions and capacity c: 16 bytes for each of p c entries, rounded up to a power of two, since units
    can have an item in every partition; and 128 per partition for the flags.
    """

    def __cinit__(self, int64_t partitions, int64_t capacity):
        cdef int64_t size = 2
        while size < partitions * capacity:
            size *= 2
        self.mask = size - 1
        self.ring = <Waiting*>calloc(size, sizeof(Waiting))
        if self.ring is NULL:
            raise MemoryError()
        self.at = new_counters(2)
        self.busy = new_counters(partitions)
        self.taking = new PaddedMutex()

    def __dealloc__(self):
        free(self.ring)
        delete_counters(self.at)
        delete_counters(self.busy)
        del self.taking

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        cdef int64_t head = self.at[0].value.load(memory_order_relaxed)
        while head - self.at[1].value.load(memory_order_acquire) > self.mask:       # pairs with try_take's release
            yield_core()                                                            # never full: ingress credit
        self.ring[head & self.mask].item = item
        self.ring[head & self.mask].partition = partition
        yield_point()
        self.at[0].value.store(head + 1, memory_order_release)                      # publishes the item

    cdef bint try_take(self, Waiting* taken) noexcept nogil:
        """Take the oldest item together with its partition; False if there is none, or if its partition is busy."""
        cdef int64_t tail
        cdef bint free_now = False
        self.taking.lock()
        tail = self.at[1].value.load(memory_order_relaxed)
        if tail != self.at[0].value.load(memory_order_acquire):                     # pairs with add's release
            taken[0] = self.ring[tail & self.mask]
            # Acquire pairs with the release in consume: what the last worker in the partition did is seen.
            free_now = self.busy[taken.partition].value.load(memory_order_acquire) == 0
            yield_point()
            if free_now:
                self.busy[taken.partition].value.store(1, memory_order_relaxed)
                yield_point()
                self.at[1].value.store(tail + 1, memory_order_release)              # hands the entry back
        self.taking.unlock()
        return free_now

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        cdef int64_t used = 0
        cdef Waiting taken
        while used < budget and self.try_take(&taken):
            yield_point()
            used += consumer.operate(taken.partition, taken.item, visit)
            yield_point()
            self.busy[taken.partition].value.store(0, memory_order_release)         # pairs with try_take
            yield_point()
            consumer.partition_left(visit)
        return used
