"""A merge that any thread may do, one at a time; no thread waits for the turn.

The paper's second ScaleGate, with batches of the total order in place of timestamps: all threads have the same batches,
so a batch is ready once each has published it.
"""

from cython.view cimport array
from libc.stdlib cimport free
from libc.string cimport memset
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from streambench.pyx.machine.clock cimport nanoseconds
from streambench.pyx.machine.memory cimport append, enlarge
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.yield_points cimport yield_point

import numpy as np

cdef extern from *:
    """
    namespace streambench {
    template <class T> inline T* new_items(int64_t n) { return new T[n](); }
    template <class T> inline void delete_items(T* items) { delete[] items; }
    }
    """
    T* new_items "streambench::new_items"[T](int64_t n) except +
    void delete_items "streambench::delete_items"[T](T* items) noexcept


cdef class MatchMerge:
    def __cinit__(self, int32_t threads):
        self.threads = threads
        self.rings = new_items[MatchRing](threads)
        self.published = new_counters(threads)
        self.merged = new_counters(1)
        self.turn = new_counters(1)
        self.at.resize(threads)

    def __dealloc__(self):
        free(self.rows[0])
        free(self.rows[1])
        delete_items(self.rings)
        delete_counters(self.published)
        delete_counters(self.merged)
        delete_counters(self.turn)

    cdef void make_room(self, int64_t matches) noexcept nogil:
        """Before the first: find the memory that so many take."""
        cdef int32_t side
        self.capacity = matches
        for side in range(2):
            self.rows[side] = <int64_t*>enlarge(self.rows[side], matches * sizeof(int64_t))
            memset(self.rows[side], 0, matches * sizeof(int64_t))

    cdef vector[Match]* room(self, int32_t thread, int64_t batch) noexcept nogil:
        """Where the thread puts the matches of its next batch, empty; NULL where the merge is too far behind."""
        cdef vector[Match]* matches
        # Pairs with the store in `merge`: the batch that was there has been read. seq_cst: a thread that
        # has announced its sleep looks.
        if batch - self.merged.value.load(memory_order_seq_cst) >= BATCHES_AHEAD:
            return NULL
        yield_point()
        matches = &self.rings[thread].batch[batch % BATCHES_AHEAD]
        matches.clear()
        return matches

    cdef void publish(self, int32_t thread, int64_t batch) noexcept nogil:
        """The thread is done with this batch."""
        yield_point()
        self.published[thread].value.store(batch + 1, memory_order_release)  # pairs with `ready`: its matches are there

    cdef int64_t ready(self) noexcept nogil:
        """Batches before it have been published by all."""
        cdef int32_t thread
        cdef int64_t least = self.published[0].value.load(memory_order_acquire)
        for thread in range(1, self.threads):
            least = min(least, self.published[thread].value.load(memory_order_acquire))
        return least

    cdef bint merge(self, int64_t at_least) noexcept nogil:
        """Merge what is ready, if that is so many batches and nobody does so already; False
        where nothing was merged."""
        cdef int64_t begin = self.merged.value.load(memory_order_relaxed), end
        if self.ready() - begin < at_least:
            return False
        # Acquire pairs with the release below: what the last one who merged has written is seen.
        if self.turn.value.load(memory_order_relaxed) == 1 or self.turn.value.exchange(1, memory_order_acquire) == 1:
            return False
        yield_point()
        begin = self.merged.value.load(memory_order_relaxed)
        end = self.ready()
        for batch in range(begin, end):
            self.merge_batch(batch)
            if self.timed:
                append(self.left_ns, nanoseconds())
        yield_point()
        self.merged.value.store(end, memory_order_seq_cst)      # makes room; then the caller looks for sleepers
        self.turn.value.store(0, memory_order_release)
        return end > begin

    cdef void merge_batch(self, int64_t batch) noexcept nogil:
        """By position, then by the earlier tuple's row; of a later tuple's matches the sum of rows tells that."""
        cdef int64_t slot = batch % BATCHES_AHEAD
        cdef int32_t thread, first
        cdef Match* match
        cdef Match* least
        for thread in range(self.threads):
            self.at[thread] = 0
        if self.threads == 1:
            match = self.rings[0].batch[slot].data()
            for _ in range(<int64_t>self.rings[0].batch[slot].size()):
                self.put(match)
                match += 1
            return
        while True:
            first = -1
            least = NULL
            for thread in range(self.threads):
                if self.at[thread] == self.rings[thread].batch[slot].size():
                    continue
                match = &self.rings[thread].batch[slot][self.at[thread]]
                if first < 0 or match.position < least.position or (
                    match.position == least.position and match.left + match.right < least.left + least.right
                ):
                    first, least = thread, match
            if first < 0:
                return
            self.at[first] += 1
            self.put(least)

    cdef inline void put(self, const Match* match) noexcept nogil:
        cdef int32_t side
        if self.n == self.capacity:     # memory that is large is moved by the system, not copied
            self.capacity = max(<int64_t>4096, 2 * self.capacity)
            for side in range(2):
                self.rows[side] = <int64_t*>enlarge(self.rows[side], self.capacity * sizeof(int64_t))
        self.rows[0][self.n] = match.left
        self.rows[1][self.n] = match.right
        self.n += 1

    def take(self, int32_t side):
        """The rows of this side, as an array: once, after all have been merged."""
        if self.n == 0:
            return np.empty(0, np.int64)
        rows = <int64_t[:self.n]>self.rows[side]
        (<array>rows).callback_free_data = free
        self.rows[side] = NULL
        return np.asarray(rows)
