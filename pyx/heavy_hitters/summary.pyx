"""What all designs have in common."""

import numpy as np


cdef class Summary:
    """Counts items by at most ``counters`` counters, for up to ``threads`` threads that update it at the same time.

    Designs take these two in ``__init__`` and hand them on. An update never waits for a thread that is in no update and no look.
    Raises ValueError where there would be no counter or no thread.
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

    def add(self, const uint64_t[::1] items, int32_t thread=0):
        """Count the items, without the GIL. One caller at a time for each ``thread``; raises ValueError for one too many."""
        if not 0 <= thread < self.threads:
            raise ValueError(f"this summary has threads 0 to {self.threads - 1}, not {thread}")
        if items.shape[0] > 0:
            with nogil:
                self.update(thread, &items[0], items.shape[0])

    def snapshot(self):
        """From any thread, while others update: items, counts and errors (by count, highest first, then by item), the floor,
        how many items are counted, and how many are in flight. See `Snapshot` for what they promise."""
        cdef Snapshot found
        cdef int64_t k, n
        found.floor = found.n = found.in_flight = 0
        with nogil:
            self.look(&found)
        n = found.counters.size()
        items, counts, errors = np.empty(n, np.uint64), np.empty(n, np.int64), np.empty(n, np.int64)
        cdef uint64_t[::1] to_items = items
        cdef int64_t[::1] to_counts = counts, to_errors = errors
        for k in range(n):
            to_items[k] = found.counters[k].item
            to_counts[k] = found.counters[k].count
            to_errors[k] = found.counters[k].error
        order = np.lexsort((items, -counts))
        return items[order], counts[order], errors[order], found.floor, found.n, found.in_flight
