"""Threads that use the runtime's queues by themselves, with delays injected between their calls."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_threads cimport Threads
from streambench.pyx.growing_queue cimport GrowingQueue, delete_queues, new_queues, pop_shared, push
from streambench.pyx.mpmc_queue cimport MpmcQueue
from streambench.pyx.spsc_queue cimport SpscQueue, clear_spsc, init_spsc, spsc_pop, spsc_push
from streambench.pyx.threads cimport yield_core


cdef class Crowd(Threads):
    """``producers`` threads push (producer, number) to one queue; the others pop."""
    cdef MpmcQueue queue
    cdef vector[vector[int64_t]] popped
    cdef atomic[int64_t] taken
    cdef int64_t producers, each_pushes
    cdef int strength

    def __init__(self, capacity, producers, consumers, each_pushes, strength):
        self.queue = MpmcQueue(capacity)
        self.producers, self.each_pushes, self.strength = producers, each_pushes, strength
        self.popped.resize(producers + consumers)

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t i, item = 0
        if me < self.producers:
            for i in range(self.each_pushes):
                jitter(i, me, self.strength)
                while not self.queue.try_push((me << 32) | i):
                    yield_core()
        else:
            while self.taken.load() < self.producers * self.each_pushes:
                if self.queue.try_pop(&item):
                    self.taken.fetch_add(1)
                    self.popped[me].push_back(item)
                    jitter(item, me, self.strength)
                else:
                    yield_core()

    def result(self):
        """Per consumer, the (producer, number) pairs in the order popped."""
        cdef size_t k
        return [[(item >> 32, item & 0xFFFFFFFF) for item in self.popped[k]]
                for k in range(self.producers, self.popped.size())]


cdef class Pair(Threads):
    """Thread 0 pushes 1, 2, ..., thread 1 pops; the items' memory is plain, so that the queue must publish it."""
    cdef SpscQueue queue
    cdef vector[int64_t] payload
    cdef int64_t items
    cdef readonly int64_t wrong
    cdef int strength

    def __cinit__(self, capacity, items, strength):
        init_spsc(&self.queue, capacity)
        self.items, self.strength = items, strength
        self.payload.assign(items, 0)

    def __dealloc__(self):
        clear_spsc(&self.queue)

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t i
        cdef void* item = NULL
        for i in range(self.items):
            jitter(i, me, self.strength)
            if me == 0:
                self.payload[i] = i * i
                while not spsc_push(&self.queue, <void*>(i + 1)):
                    yield_core()
            else:
                while not spsc_pop(&self.queue, &item):
                    yield_core()
                if <int64_t>item != i + 1 or self.payload[i] != i * i:
                    self.wrong += 1


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
