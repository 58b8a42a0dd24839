"""Threads that use the runtime's queues by themselves, with delays injected between their calls."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_threads cimport Threads
from streambench.pyx.queues.growing_queue cimport GrowingQueue, delete_queues, new_queues, pop_shared, push
from streambench.pyx.machine.threads cimport yield_core


cdef class Handout(Threads):
    """Thread 0 pushes 1, 2, ... to a growing queue, at most ``ahead`` of what is popped; the others pop."""
    cdef GrowingQueue* queue
    cdef vector[vector[int64_t]] popped
    cdef vector[int64_t] payload        # plain memory, which the queue must publish
    cdef atomic[int64_t] taken
    cdef atomic[int64_t] wrong
    cdef int64_t items, ahead
    cdef int strength

    def __cinit__(self, capacity, consumers, items, ahead, strength):
        self.queue = new_queues(1, capacity)
        self.items, self.ahead, self.strength = items, ahead, strength
        self.popped.resize(1 + consumers)
        self.payload.assign(items + 1, 0)

    def __dealloc__(self):
        delete_queues(self.queue, 1)

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t i, item = 0
        if me == 0:
            for i in range(1, self.items + 1):
                jitter(i, me, self.strength)
                self.payload[i] = i * i
                while i - self.taken.load() > self.ahead * (1 + i % 7) or not push(self.queue, i):
                    yield_core()
        else:
            while self.taken.load() < self.items:
                if pop_shared(self.queue, &item):
                    self.taken.fetch_add(1)
                    self.popped[me].push_back(item)
                    if self.payload[item] != item * item:
                        self.wrong.fetch_add(1)
                    jitter(item, me, self.strength)
                else:
                    yield_core()

    def result(self):
        """Per consumer, the items in the order popped, and in all how many were popped without their payload."""
        cdef size_t k
        return [list(self.popped[k]) for k in range(1, self.popped.size())], self.wrong.load()
