"""What all designs have in common."""

from streambench.pyx.machine.memory cimport has_memory

import numpy as np

from streambench.pyx.machine.memory import OUT_OF_MEMORY


cdef struct Call:                       # of a method, by way of `has_memory`
    void* summary                       # borrowed
    Snapshot* found
    int32_t thread
    const uint64_t* items
    int64_t n


cdef void update(void* argument) noexcept nogil:
    cdef Call* call = <Call*>argument
    (<Summary>call.summary).update(call.thread, call.items, call.n)


cdef void look(void* argument) noexcept nogil:
    cdef Call* call = <Call*>argument
    (<Summary>call.summary).look(call.found)


cdef int do(void (*method)(void*) noexcept nogil, Call* call) except -1:
    """Without the GIL. Raises MemoryError where the system refuses memory; the summary is then no longer to be used."""
    cdef bint done
    with nogil:
        done = has_memory(method, call)
    if not done:
        raise MemoryError(OUT_OF_MEMORY)
    return 0


cdef class Summary:
    """Counts items by at most ``counters`` counters, for up to ``threads`` threads that update it at the same time.

    Designs take these two in ``__init__`` and hand them on. An update never waits for a thread that is in no update and
    no look. Raises ValueError where there would be no counter or no thread.
    """

    def __init__(self, int64_t counters, int32_t threads=1):
        if counters < 1:
            raise ValueError(f"a summary has at least 1 counter, not {counters}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.counters = counters
        self.threads = threads

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        """Count the items; at any time by one caller for each ``thread``."""
        pass

    cdef void look(self, Snapshot* out) noexcept nogil:
        """Replace what is in ``out`` by what is counted; by any thread, while others update."""
        pass

    @property
    def nbytes(self) -> int:
        """Bytes that it counts with at the moment, without what an answer takes. For a quiet moment."""
        raise NotImplementedError

    def add(self, const uint64_t[::1] items, int32_t thread=0):
        """Count the items, without the GIL. One caller at a time for each ``thread``; raises
        ValueError for one too many."""
        if not 0 <= thread < self.threads:
            raise ValueError(f"this summary has threads 0 to {self.threads - 1}, not {thread}")
        cdef Call call
        if items.shape[0] > 0:
            call.summary, call.thread, call.items, call.n = <void*>self, thread, &items[0], items.shape[0]
            do(update, &call)

    def snapshot(self):
        """From any thread, while others update: items, counts and errors (by count, highest first, then by item), the
        floor, how many items are counted, and how many are in flight. See `Snapshot` for what they promise."""
        cdef Snapshot whole
        cdef Call call
        cdef int64_t k, n
        whole.floor = whole.n = whole.in_flight = 0
        call.summary, call.found = <void*>self, &whole
        do(look, &call)
        n = whole.counters.size()
        items, counts, errors = np.empty(n, np.uint64), np.empty(n, np.int64), np.empty(n, np.int64)
        cdef uint64_t[::1] to_items = items
        cdef int64_t[::1] to_counts = counts, to_errors = errors
        for k in range(n):
            to_items[k] = whole.counters[k].item
            to_counts[k] = whole.counters[k].count
            to_errors[k] = whole.counters[k].error
        order = np.lexsort((items, -counts))
        return items[order], counts[order], errors[order], whole.floor, whole.n, whole.in_flight

    def held(self):
        """In a quiet moment: the items that a later snapshot may list though they do not come again."""
        return self.snapshot()[0]
