"""Primitives that hand units over, each called n times in a row by one thread, with nothing of Python in between."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.schemes.reorder_buffer cimport Downstream, ReorderBuffer
from streambench.pyx.order.turn_ring cimport TurnRing, advance, clear_ring, fits, init_ring, leave, put
from streambench.pyx.queues.growing_queue cimport GrowingQueue, delete_queues, new_queues, pop_alone, pop_shared, push
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist

from streambench.pyx.schemes.schemes_engine import PARTITIONINGS, REORDERS

cdef enum:
    SLOTS = 1024
    VISIT = 64              # items that a visit to a partitioned worklist takes
    FAR = 7919              # from one item's partition to the next one's


cdef class Nowhere(Downstream):
    """Forgets what it is sent."""

    cdef bint send_downstream(self, void* output) noexcept nogil:
        return True


cdef class Sends:
    """Outputs sent through a reorder buffer. ``in_pairs``: of two the later one comes first, and waits."""

    cdef Downstream nowhere             # the buffer borrows it
    cdef ReorderBuffer buffer
    cdef int64_t serial
    cdef int64_t swapped

    def __init__(self, str scheme, bint in_pairs):
        self.nowhere = Nowhere()
        self.buffer = REORDERS[scheme](self.nowhere, SLOTS)
        self.swapped = in_pairs

    def run(self, int64_t n):
        """Send the next ``n`` outputs, an even number; return how many have been sent downstream so far."""
        cdef int64_t k
        with nogil:
            for k in range(n):
                self.buffer.send(self.serial + (k ^ self.swapped), <void*>(k + 1))
        self.serial += n
        return self.buffer.sent()


cdef class Turns:
    """Items put into a turn ring, each dealt with at once, and the turn left for the next one."""

    cdef TurnRing ring
    cdef int64_t serial

    def __cinit__(self):
        init_ring(&self.ring, SLOTS)

    def __dealloc__(self):
        clear_ring(&self.ring)

    def run(self, int64_t n):
        """Put the next ``n`` items; return how many have been dealt with so far."""
        cdef int64_t k
        cdef void* item
        with nogil:
            for k in range(n):
                item = <void*>(k + 1)
                if fits(&self.ring, self.serial) and put(&self.ring, self.serial, item):
                    while item is not NULL or not leave(&self.ring, &item):
                        item = advance(&self.ring)
                self.serial += 1
        return self.ring.next.value.load(memory_order_relaxed)


cdef class Queue:
    """Items pushed to a growing queue, each popped at once. ``shared``: as where several workers may pop."""

    cdef GrowingQueue* queue
    cdef bint shared

    def __cinit__(self, bint shared):
        self.queue = new_queues(1, SLOTS)
        self.shared = shared

    def __dealloc__(self):
        delete_queues(self.queue, 1)

    def run(self, int64_t n):
        """Push and pop 1 to ``n``; return their sum."""
        cdef int64_t k, item = 0, sum = 0
        with nogil:
            for k in range(1, n + 1):
                push(self.queue, k)
                if self.shared:
                    pop_shared(self.queue, &item)
                else:
                    pop_alone(self.queue, &item)
                sum += item
        return sum


cdef class Taker(Consumer):
    """Counts what it is given."""

    cdef int64_t taken

    cdef int64_t operate(self, int64_t partition, void* item, void* visit) noexcept nogil:
        self.taken += 1
        return 1


cdef class Worklist:
    """Items added to a partitioned worklist, here and there, and taken out again a visit's worth at a time."""

    cdef PartitionedWorklist worklist
    cdef Taker taker

    def __init__(self, str scheme, int64_t partitions):
        self.worklist = PARTITIONINGS[scheme](partitions, SLOTS)
        self.taker = Taker()

    def run(self, int64_t n):
        """Add and take ``n`` items; return how many have been taken so far."""
        cdef int64_t k
        with nogil:
            for k in range(1, n + 1):
                self.worklist.add(k * FAR % self.worklist.partitions, <void*>k)
                if k % VISIT == 0:
                    self.worklist.consume(self.taker, VISIT, NULL)
            while self.worklist.consume(self.taker, VISIT, NULL) > 0:
                pass
        return self.taker.taken
