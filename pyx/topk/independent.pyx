"""A Stream-Summary for each thread, merged when somebody asks: the design "independent" (paper 002, section 3.1).

No update waits for another, but memory grows with the threads, as each needs all counters (lemma 3.1), and a look costs
a merge of all of them: hierarchical, two and two, until one is left.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.topk.merged_rows cimport Part, merge_parts
from streambench.pyx.topk.operation_times cimport (
    MERGE, REST, SUMMARY, OperationTimes, add_seconds, begin, no_seconds, operate,
)
from streambench.pyx.topk.stream_summary cimport StreamSummary
from streambench.pyx.topk.summary cimport Snapshot, Summary
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.ticket_lock cimport TicketLock, acquire, release

import numpy as np


cdef class Independent(Summary):
    """Space-Saving with ``counters`` counters for each thread. What a look gives has as many, and the bounds of one
    summary with ``counters`` counters: see `merge_parts`."""

    cdef list summaries                 # by thread; each has a lock of its own
    cdef vector[void*] summary_pointers
    cdef vector[OperationTimes] times   # by thread, and behind them the looks', under the lock
    cdef TicketLock looking

    def __cinit__(self, *args, **kwargs):
        self.looking.asked = new_counters(1)
        self.looking.served = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.looking.asked)
        delete_counters(self.looking.served)

    def __init__(self, int64_t counters, int32_t threads=1):
        super().__init__(counters, threads)
        self.summaries = [StreamSummary(counters) for _ in range(threads)]
        for each in self.summaries:
            self.summary_pointers.push_back(<void*>each)
        self.times.resize(threads + 1)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef OperationTimes* times = &self.times[thread]
        begin(times)
        operate(times, SUMMARY)
        (<StreamSummary>self.summary_pointers[thread]).update(0, items, n)
        operate(times, REST)

    cdef void look(self, Snapshot* out) noexcept nogil:
        cdef OperationTimes times
        cdef int32_t k, apart = 1
        cdef Snapshot snapshot
        cdef vector[Part] parts
        begin(&times)
        operate(&times, MERGE)
        out.n = out.in_flight = 0
        lengthen(parts, self.threads)
        for k in range(self.threads):
            (<StreamSummary>self.summary_pointers[k]).look(&snapshot)
            out.n += snapshot.n
            parts[k].floor = snapshot.floor
            parts[k].rows.swap(snapshot.counters)
        while apart < self.threads:         # a level of the hierarchy
            k = 0
            while k + apart < self.threads:
                merge_parts(&parts[k], &parts[k + apart], self.counters)
                k += 2 * apart
            apart *= 2
        out.floor = parts[0].floor
        out.counters.swap(parts[0].rows)
        operate(&times, REST)
        acquire(&self.looking)
        self.times[self.threads].spent[<int>MERGE] += times.spent[<int>MERGE]
        release(&self.looking)

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in self.summaries)

    def held(self):
        return np.unique(np.concatenate([each.held() for each in self.summaries]))

    def profile(self) -> dict:
        """Seconds by operation, of all threads together; zeros unless this is the instrumented twin."""
        cdef int32_t k
        seconds = no_seconds()
        for k in range(self.threads + 1):
            add_seconds(seconds, &self.times[k])
        return seconds

    def statistics(self) -> dict:
        """Nothing is delegated here."""
        return {}
