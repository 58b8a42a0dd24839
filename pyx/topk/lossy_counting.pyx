"""Lossy Counting (Manku and Motwani, 2002) behind the interface of Space-Saving (paper 002,
section 4.4): the design "lossy".

The stream is cut into rounds of w = 1 / epsilon items. An item that is not there gets a counter whose error is the
number of rounds that have ended: so often at most it was counted before, and dropped. At a round's end all go whose
count and error together are no more than the rounds that have ended by then.
"""

from cython.operator cimport dereference, preincrement
from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.topk.one_thread_summary cimport OneThreadSummary
from streambench.pyx.topk.summary cimport Counter, Snapshot
from streambench.pyx.machine.ticket_lock cimport acquire, release
from streambench.pyx.state.flat_map cimport unordered_flat_map

cdef struct Count:
    int64_t seen                        # since the counter is there
    int64_t error                       # before that at most

ctypedef unordered_flat_map[uint64_t, Count] Counts


cdef class LossyCounting(OneThreadSummary):
    """Lossy Counting in rounds of ``counters`` items, by one thread. Raises ValueError for more threads.

    There may be more counters than that: 1 / epsilon times log(epsilon N), N items having
    come. So memory is not bounded.
    """

    cdef Counts counts
    cdef vector[uint64_t] infrequent    # at a round's end
    cdef int64_t n                      # items counted
    cdef int64_t rounds                 # that have ended

    @property
    def nbytes(self) -> int:
        """Bytes of the table and of its list: they grow with the most items that have been held at a time."""
        return (
            self.counts.bucket_count() * (sizeof(uint64_t) + sizeof(Count) + 1)
            + self.infrequent.capacity() * sizeof(uint64_t)
        )

    cdef void look(self, Snapshot* out) noexcept nogil:
        cdef Counts.iterator at
        cdef Counter counter
        acquire(&self.lock)
        out.counters.clear()
        at = self.counts.begin()
        while at != self.counts.end():
            counter.item = dereference(at).first
            counter.error = dereference(at).second.error
            counter.count = dereference(at).second.seen + counter.error
            out.counters.push_back(counter)
            preincrement(at)
        out.floor = self.rounds         # what was dropped had been counted that often at most
        out.n = self.n
        release(&self.lock)
        out.in_flight = 0               # an update returns when its items are counted

    cdef void count(self, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t k
        cdef Count* counter
        for k in range(n):
            counter = &self.counts[items[k]]
            if counter.seen == 0:       # it is new
                counter.error = self.rounds
            counter.seen += 1
            self.n += 1
            if self.n % self.counters == 0:
                self.end_round()

    cdef void end_round(self) noexcept nogil:
        cdef Counts.iterator at = self.counts.begin()
        cdef uint64_t item
        self.rounds += 1
        self.infrequent.clear()
        while at != self.counts.end():
            if dereference(at).second.seen + dereference(at).second.error <= self.rounds:
                self.infrequent.push_back(dereference(at).first)
            preincrement(at)
        for item in self.infrequent:
            self.counts.erase(item)
