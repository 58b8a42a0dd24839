"""A partitioning scheme that is wrong on purpose: what checks the runtime must notice it."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_acquire, memory_order_release
from libcpp.vector cimport vector
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist
from streambench.pyx.machine.threads cimport yield_core

cdef struct Waiting:
    int64_t partition
    void* item


cdef class NewestFirst(PartitionedWorklist):
    """Each item once, by one worker at a time, but the newest first; only the order of theorem 4.1 is broken."""
    cdef vector[Waiting] waiting        # under `taken`
    cdef atomic[int64_t] taken
    cdef atomic[int64_t] busy           # 1 while a worker is inside any partition
    cdef int64_t visits                 # under `busy`

    def __init__(self, partitions, capacity):
        self.waiting.reserve(partitions * capacity)

    cdef void take(self) noexcept nogil:
        while self.taken.exchange(1, memory_order_acquire) != 0:
            yield_core()

    cdef void add(self, int64_t partition, void* item) noexcept nogil:
        cdef Waiting each
        each.partition, each.item = partition, item
        self.take()
        self.waiting.push_back(each)
        self.taken.store(0, memory_order_release)

    cdef bint take_newest(self, Waiting* newest) noexcept nogil:
        cdef bint found
        self.take()
        found = not self.waiting.empty()
        if found:
            newest[0] = self.waiting.back()
            self.waiting.pop_back()
        self.taken.store(0, memory_order_release)
        return found

    cdef int64_t consume(self, Consumer consumer, int64_t budget, void* visit) noexcept nogil:
        cdef Waiting newest
        cdef int64_t used = 0
        if self.busy.exchange(1, memory_order_acquire) != 0:
            return 0
        self.visits += 1
        if self.visits % 2 == 0:        # every other visit is in vain, so that items gather
            while used < budget and self.take_newest(&newest):
                used += consumer.operate(newest.partition, newest.item, visit)
            consumer.partition_left(visit)
        self.busy.store(0, memory_order_release)
        return used
