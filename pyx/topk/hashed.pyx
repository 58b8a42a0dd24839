"""A Stream-Summary for each thread, which counts the items that a hash gives it: the design "hashed" (paper 002,
section 3.3, where it is an extension in a sentence).

A thread puts the items of others into their inboxes, and counts its own and what has come for it. Nothing is merged, as
each item is in one summary. But a thread whose items are frequent has more to do than the others.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, new_mutexes
from streambench.pyx.state.count_table cimport hash_of
from streambench.pyx.topk.stream_summary cimport StreamSummary
from streambench.pyx.topk.summary cimport Counter, Snapshot, Summary

import numpy as np

cdef enum:
    PIECE = 256                         # items that are dealt out at a time
    MOST_WAITING = 1 << 14              # items in an inbox, above which whoever finds them there counts them
    MOST_THREADS = 1 << 8

cdef struct Inbox:
    int64_t n                           # items in it
    int64_t room


cdef bint more_often(const Counter& a, const Counter& b) noexcept nogil:
    return a.count > b.count if a.count != b.count else a.item < b.item


cdef class Hashed(Summary):
    """Space-Saving with ``counters`` counters for each thread, of which a look gives as many as one thread has.

    Raises ValueError for more than 256 threads.
    """

    cdef list summaries                 # by thread
    cdef vector[void*] summary_pointers
    cdef Mutex* counting                # by thread: its summary's, which is taken before its inbox's
    cdef Mutex* waiting                 # by thread: its inbox's
    cdef vector[Inbox] inboxes          # by thread
    cdef vector[vector[uint64_t]] items         # that wait in them
    cdef vector[vector[uint64_t]] taken         # by thread, under its summary's mutex: out of its inbox

    def __init__(self, int64_t counters, int32_t threads=1):
        cdef int32_t k
        cdef Inbox inbox
        super().__init__(counters, threads)
        if threads > MOST_THREADS:
            raise ValueError(f"the design hashed takes at most {MOST_THREADS} threads, not {threads}")
        self.counting, self.waiting = new_mutexes(threads), new_mutexes(threads)
        self.summaries = [StreamSummary(counters) for _ in range(threads)]
        for each in self.summaries:
            self.summary_pointers.push_back(<void*>each)
        # Whoever finds more than MOST_WAITING counts them before it brings more: each thread adds a piece at most.
        inbox.n, inbox.room = 0, MOST_WAITING + <int64_t>threads * PIECE if threads > 1 else 0
        self.inboxes.assign(threads, inbox)
        self.items.resize(threads)
        self.taken.resize(threads)
        for k in range(threads):
            self.items[k].resize(inbox.room)
            self.taken[k].resize(inbox.room)

    def __dealloc__(self):
        delete_mutexes(self.counting)
        delete_mutexes(self.waiting)

    cdef inline int32_t owner_of(self, uint64_t item) noexcept nogil:
        return <int32_t>((hash_of(item) >> 32) * <uint64_t>self.threads >> 32)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t at = 0
        while at < n:
            self.deal_out(thread, items + at, min(n - at, <int64_t>PIECE))
            at += PIECE

    cdef void deal_out(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int32_t begins[MOST_THREADS + 1]
        cdef int32_t owners[PIECE]
        cdef uint64_t by_owner[PIECE]
        cdef int64_t i
        cdef int32_t k, begin
        for k in range(self.threads + 1):
            begins[k] = 0
        for i in range(n):
            owners[i] = self.owner_of(items[i])
            begins[owners[i] + 1] += 1
        for k in range(self.threads):
            begins[k + 1] += begins[k]
        for i in range(n):
            by_owner[begins[owners[i]]] = items[i]
            begins[owners[i]] += 1              # then it is where the next owner's begin
        begin = 0
        for k in range(self.threads):
            if k != thread and begins[k] > begin:
                self.hand_over(k, by_owner + begin, begins[k] - begin)
            begin = begins[k]
        begin = begins[thread - 1] if thread > 0 else 0
        self.count(thread, by_owner + begin, begins[thread] - begin)

    cdef void hand_over(self, int32_t owner, const uint64_t* items, int64_t n) noexcept nogil:
        cdef Inbox* inbox = &self.inboxes[owner]
        cdef bint full
        self.waiting[owner].lock()
        memcpy(self.items[owner].data() + inbox.n, items, n * sizeof(uint64_t))
        inbox.n += n
        full = inbox.n > MOST_WAITING
        self.waiting[owner].unlock()
        if full:
            self.count(owner, NULL, 0)

    cdef void count(self, int32_t owner, const uint64_t* items, int64_t n) noexcept nogil:
        """These items of the owner's, and what is in its inbox."""
        cdef int64_t came
        self.counting[owner].lock()
        self.waiting[owner].lock()
        self.taken[owner].swap(self.items[owner])
        came = self.inboxes[owner].n
        self.inboxes[owner].n = 0
        self.waiting[owner].unlock()
        (<StreamSummary>self.summary_pointers[owner]).update(0, self.taken[owner].data(), came)
        (<StreamSummary>self.summary_pointers[owner]).update(0, items, n)
        self.counting[owner].unlock()

    cdef void look(self, Snapshot* out) noexcept nogil:
        cdef Snapshot own
        cdef int32_t k
        cdef size_t i, n
        out.n = out.floor = out.in_flight = 0
        out.counters.clear()
        for k in range(self.threads):
            self.count(k, NULL, 0)
            (<StreamSummary>self.summary_pointers[k]).look(&own)
            out.n += own.n
            out.floor = max(out.floor, own.floor)
            n = out.counters.size()
            lengthen(out.counters, n + own.counters.size())
            for i in range(own.counters.size()):
                out.counters[n + i] = own.counters[i]
        sort(out.counters.begin(), out.counters.end(), &more_often)
        if <int64_t>out.counters.size() > self.counters:
            out.floor = max(out.floor, out.counters[self.counters].count)
            out.counters.resize(self.counters)

    @property
    def nbytes(self) -> int:
        """Bytes of the summaries and of both halves of each inbox."""
        cdef int64_t k, waiting = 0
        for k in range(self.threads):
            waiting += sizeof(Inbox) + 2 * sizeof(Mutex) + 2 * self.inboxes[k].room * sizeof(uint64_t)
        return waiting + sum(each.nbytes for each in self.summaries)

    def held(self):
        cdef int32_t k
        for k in range(self.threads):
            self.count(k, NULL, 0)
        return np.unique(np.concatenate([each.held() for each in self.summaries]))
