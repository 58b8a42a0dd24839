"""A buffer of matches that any thread may empty, one at a time: what is earlier than all threads'
punctuations leaves in order."""

from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t
from libc.string cimport memcpy
from libcpp.atomic cimport memory_order_acquire, memory_order_release, memory_order_seq_cst
from libcpp.vector cimport vector
from streambench.pyx.join.ready_batch cimport LEFT, RIGHT
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.queues.growing_queue cimport delete_queues, new_queues, push, reaches, take

import numpy as np

cdef int64_t MOST_FOUND = <int64_t>1 << 40      # rows of matches not yet taken: as memory allows


cdef class HandshakeOutput:
    def __cinit__(self, Definition definition, int32_t threads):
        cdef int32_t thread
        self.definition = definition
        self.threads = threads
        self.found = new_queues(threads, MOST_FOUND)
        self.passed = new_counters(threads)
        self.turn = new_counters(1)
        for thread in range(threads):
            self.passed[thread].value.store(INT64_MIN)

    def __dealloc__(self):
        delete_queues(self.found, self.threads)
        delete_counters(self.passed)
        delete_counters(self.turn)

    cdef void put(self, int32_t thread, int64_t left, int64_t right) noexcept nogil:
        push(&self.found[thread], left)
        push(&self.found[thread], right)

    cdef void promise(self, int32_t thread, int64_t ts) noexcept nogil:
        """The thread has put all its matches whose later tuple is earlier than this."""
        # what it has sent and put before is seen: pairs with let_out
        self.passed[thread].value.store(ts, memory_order_seq_cst)

    cdef void let_out(self) noexcept nogil:
        """Put in order what no match can come before any more, unless somebody is about it."""
        cdef int32_t thread
        cdef int64_t ts = INT64_MAX
        for thread in range(self.threads):
            ts = min(ts, self.passed[thread].value.load(memory_order_seq_cst))      # before the queues are looked at
        # Acquire pairs with the release below: what the last one whose turn it was has written is seen.
        if self.turn.value.exchange(1, memory_order_acquire) == 1:
            return
        yield_point()
        self.collect()
        while not self.waiting.empty() and self.waiting.front().ts < ts:
            self.append_first()
        self.turn.value.store(0, memory_order_release)

    cdef void collect(self) noexcept nogil:
        """Take what the threads have put."""
        cdef int32_t thread
        cdef int64_t left, right
        cdef int64_t* ts
        cdef GrowingQueue* found
        cdef Pair pair
        for thread in range(self.threads):
            found = &self.found[thread]
            while reaches(found, found.tail.load(memory_order_acquire) + 1):        # a left row and a right one
                left = take(found)
                right = take(found)
                pair.ts = max(self.definition.streams.ts[LEFT][left], self.definition.streams.ts[RIGHT][right])
                pair.side = LEFT if self.definition.streams.ts[RIGHT][right] < pair.ts else RIGHT
                pair.later, pair.earlier = (left, right) if pair.side == LEFT else (right, left)
                push_pair(self.waiting, pair)

    cdef void append_first(self) noexcept nogil:
        cdef Pair* first = &self.waiting.front()
        append(self.left, first.later if first.side == LEFT else first.earlier)
        append(self.right, first.earlier if first.side == LEFT else first.later)
        pop_pair(self.waiting)

    def rows(self):
        """All rows of the left and of the right side, in order, once no thread finds any more."""
        self.collect()
        while not self.waiting.empty():
            self.append_first()
        return array_of(&self.left), array_of(&self.right)


cdef array_of(vector[int64_t]* rows):
    found = np.empty(rows.size(), np.int64)
    if rows.size() > 0:
        memcpy(<void*><size_t>found.ctypes.data, rows.data(), rows.size() * sizeof(int64_t))
    return found
