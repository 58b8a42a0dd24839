"""Threads that use the runtime's primitives by themselves, with delays injected at every call they make back."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from jitter cimport jitter
from probe_guard cimport Guards
from probe_threads cimport Threads
from streambench.pyx.mpmc_queue cimport MpmcQueue
from streambench.pyx.reorder_buffer cimport Downstream, NonBlockingReorderBuffer
from streambench.pyx.spsc_queue cimport SpscQueue, clear_spsc, init_spsc, spsc_pop, spsc_push
from streambench.pyx.threads cimport pause_briefly, yield_core


cdef class Collected(Downstream):
    cdef vector[int64_t] order          # plain memory: only the buffer's own ordering protects it
    cdef Guards* guards
    cdef int strength

    def __cinit__(self, strength):
        self.guards = new Guards(1)
        self.strength = strength

    def __dealloc__(self):
        del self.guards

    cdef void send_downstream(self, void* output) noexcept nogil:
        self.guards.enter(0)
        jitter(<int64_t>output, 11, self.strength)
        self.order.push_back(<int64_t>output - 1)
        self.guards.leave(0)


cdef class Reordering(Threads):
    """Every thread takes the next serial number, dawdles, and sends."""
    cdef NonBlockingReorderBuffer buffer
    cdef readonly Collected collected
    cdef atomic[int64_t] next_serial
    cdef int64_t serials
    cdef int strength

    def __init__(self, size, serials, strength):
        self.collected = Collected(strength)
        self.buffer = NonBlockingReorderBuffer(self.collected, size)
        self.serials = serials
        self.strength = strength

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t serial = self.next_serial.fetch_add(1)
        while serial < self.serials:
            jitter(serial, me, self.strength)
            while not self.buffer.send(serial, <void*>(serial + 1)):
                yield_core()
            serial = self.next_serial.fetch_add(1)

    def result(self):
        """Serial numbers in the order sent, how many the buffer counts, overlaps of two senders."""
        return list(self.collected.order), self.buffer.sent(), self.collected.guards.violations_now()


cdef class Stranding(Threads):
    """Rounds in which every thread sends once, at the same moment; after each, nobody is inside.

    Theorem 3.1 then leaves nothing in the buffer: ``stranded`` counts the rounds that did.
    """
    cdef NonBlockingReorderBuffer buffer
    cdef Collected collected
    cdef int64_t rounds
    cdef readonly int64_t stranded

    def __init__(self, rounds):
        self.collected = Collected(0)
        self.buffer = NonBlockingReorderBuffer(self.collected, 128)
        self.rounds = rounds

    cdef void each(self, int64_t me) noexcept nogil:
        cdef int64_t k, delay, spin, serial
        for k in range(self.rounds):
            self.meet(2 * k + 1)
            for delay in range((k * (2 * me + 3)) % 37):
                pause_briefly()
            # Who sends the lower number changes, so that the drainer's look-again races with both.
            serial = k * self.n + (me + k) % self.n
            self.buffer.send(serial, <void*>(serial + 1))
            self.meet(2 * k + 2)
            if me == 0 and self.buffer.sent() != (k + 1) * self.n:
                self.stranded += 1
                self.buffer.send_pending()


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


cdef class StepwiseReordering:
    """A reorder buffer that Python drives, call by call."""
    cdef readonly Collected collected
    cdef NonBlockingReorderBuffer buffer

    def __init__(self, size):
        self.collected = Collected(0)
        self.buffer = NonBlockingReorderBuffer(self.collected, size)

    def send(self, int64_t serial):
        """Hand in output ``serial``; returns whether there was room, and all that has been sent downstream so far."""
        cdef bint added = self.buffer.send(serial, <void*>(serial + 1))
        assert self.buffer.sent() == <int64_t>self.collected.order.size()
        return added, list(self.collected.order)
