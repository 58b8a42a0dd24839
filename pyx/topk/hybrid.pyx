"""Counters of their own for the items that a thread finds frequent, one Stream-Summary for all others: the design
"hybrid" (paper 002, section 3.3).

A thread has a few local counters, a place for each by the item's hash. An item that finds another one there weakens
its claim and goes to the shared summary; one that has no claim left leaves, and the count that it has gathered goes
there as one bulk increment. Streams that are nearly uniform thus meet in the shared summary, skewed ones stay
apart, as the paper foresees.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.topk.merged_rows cimport Part, merge_parts
from streambench.pyx.topk.stream_summary cimport StreamSummary
from streambench.pyx.topk.summary cimport Counter, Snapshot, Summary
from streambench.pyx.machine.memory cimport append, lengthen
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, new_mutexes
from streambench.pyx.state.count_table cimport hash_of

import numpy as np

cdef enum:
    MOST_LOCAL = 256                    # counters of a thread: they stay in its cache
    PIECE = 1024                        # items that are counted before a look may come in between

cdef struct Local:
    uint64_t item
    int64_t count                       # gathered here; 0: the place is free
    int64_t claim                       # how much oftener the item has come than others that wanted its place, about


cdef class Hybrid(Summary):
    """Space-Saving with ``counters`` counters that all share, and up to 256 of its own for each thread."""

    cdef StreamSummary shared           # under the last mutex, which is taken after a thread's
    cdef Mutex* mutexes                 # by thread, of its local counters; then that of the shared summary
    cdef vector[vector[Local]] locals   # by thread, by place
    cdef uint64_t mask                  # local counters of a thread, less 1

    def __cinit__(self, int64_t counters, int32_t threads=1, *args, **kwargs):
        self.mutexes = new_mutexes(max(threads, 1) + 1)

    def __dealloc__(self):
        delete_mutexes(self.mutexes)

    def __init__(self, int64_t counters, int32_t threads=1):
        cdef int32_t k
        cdef int64_t places = 1
        super().__init__(counters, threads)
        self.shared = StreamSummary(counters)
        while 2 * places <= min(counters, <int64_t>MOST_LOCAL):
            places *= 2
        self.mask = places - 1
        self.locals.resize(threads)
        for k in range(threads):
            self.locals[k].resize(places)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t at = 0, k
        while at < n:
            self.mutexes[thread].lock()
            for k in range(at, min(n, at + PIECE)):
                self.take(&self.locals[thread][hash_of(items[k]) & self.mask], items[k])
            self.mutexes[thread].unlock()
            at += PIECE

    cdef void take(self, Local* local, uint64_t item) noexcept nogil:
        if local.count > 0 and local.item == item:
            local.count += 1
            local.claim += 1
        elif local.count > 0 and local.claim > 0:
            local.claim -= 1
            self.hand_on(item, 1)
        else:
            if local.count > 0:
                self.hand_on(local.item, local.count)
            local.item, local.count, local.claim = item, 1, 1

    cdef void hand_on(self, uint64_t item, int64_t times) noexcept nogil:
        self.mutexes[self.threads].lock()
        self.shared.count_often(item, times)
        self.mutexes[self.threads].unlock()

    cdef void look(self, Snapshot* out) noexcept nogil:
        """With all locks, so that no count is on its way: the shared rows, and what the
        threads have gathered beyond."""
        cdef int32_t k
        cdef int64_t at, local, places = self.mask + 1
        cdef Part shared, own, all
        cdef vector[Local] local_counts
        cdef Counter row
        lengthen(local_counts, places * self.threads)
        lengthen(out.counters, self.counters)       # before the locks: nothing is allocated under them
        for k in range(self.threads + 1):
            self.mutexes[k].lock()
        self.shared.look(out)
        for k in range(self.threads):
            for local in range(places):
                local_counts[k * places + local] = self.locals[k][local]
        for k in range(self.threads + 1):
            self.mutexes[k].unlock()
        shared.rows.swap(out.counters)
        shared.floor = out.floor
        all.floor = own.floor = 0
        for k in range(self.threads):
            own.rows.clear()
            for at in range(k * places, (k + 1) * places):
                if local_counts[at].count > 0:
                    row.item, row.count, row.error = local_counts[at].item, local_counts[at].count, 0
                    append(own.rows, row)
                    out.n += row.count
            merge_parts(&all, &own, places * self.threads)
        merge_parts(&shared, &all, self.counters)
        out.counters.swap(shared.rows)
        out.floor = shared.floor

    @property
    def nbytes(self) -> int:
        """Bytes of the shared summary and of all local counters."""
        return self.shared.nbytes + self.threads * (self.mask + 1) * sizeof(Local) + (self.threads + 1) * sizeof(Mutex)

    def held(self):
        cdef int32_t k
        local = [each.item for k in range(self.threads) for each in self.locals[k] if each.count > 0]
        return np.unique(np.concatenate([self.shared.held(), np.array(local, np.uint64)]))
