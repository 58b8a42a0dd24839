"""A table of counters by itself, and the searches in it by each of their paths that this processor has."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from streambench.pyx.topk.counter_table cimport (
    AT_ONCE, CounterTable, Monitored, append_counters, close_table, count_item, count_items, count_level, hash_of_item,
    open_table, scan_counts,
)
from streambench.pyx.topk.hot_items cimport part_hot
from streambench.pyx.topk.summary cimport Snapshot, Summary

import numpy as np

LEVELS = list(range(count_level() + 1))


cdef class TableAlone(Summary):
    """One table as a summary; ``stashed``: items that found their bucket full."""

    cdef CounterTable* table

    def __init__(self, int64_t counters, int32_t level=2):
        super().__init__(counters, 1)
        self.table = <CounterTable*>calloc(1, sizeof(CounterTable))
        open_table(self.table, counters, 7, level)

    def __dealloc__(self):
        close_table(self.table)
        free(self.table)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        count_items(self.table, items, n)

    def add_often(self, uint64_t item, int64_t times):
        count_item(self.table, item, times)

    cdef void look(self, Snapshot* out) noexcept nogil:
        cdef int64_t at = 0
        out.counters.resize(self.counters)
        out.floor = out.n = out.in_flight = 0
        append_counters(self.table, out, &at)
        out.counters.resize(at)

    @property
    def stashed(self):
        return self.table.stashed

    def buckets(self, const uint64_t[::1] items):
        """By item, the number of its bucket."""
        return np.array([(hash_of_item(item, self.table.seed) >> 32) * <uint64_t>self.table.buckets >> 32
                         for item in items])


def scanned(const int64_t[::1] counts, int64_t guess, int32_t level):
    """The least count, and the places of those that are guessed; there are as many counts as are
    searched at once, or more."""
    cdef int64_t n = counts.shape[0], k
    cdef Monitored* slots = <Monitored*>calloc(n, sizeof(Monitored))
    cdef uint32_t* out = <uint32_t*>calloc(n + AT_ONCE, sizeof(uint32_t))
    for k in range(n):
        slots[k].item, slots[k].count = ~<uint64_t>0, counts[k]
    found = scan_counts(level, slots, n, guess, out)
    result = found.count, [out[k] for k in range(found.slots)]
    free(slots)
    free(out)
    return result


def parted(const uint64_t[::1] items, const uint64_t[::1] hot, int32_t level):
    """By hot item how often it is there, and the others."""
    counts, rest = np.zeros(len(hot), np.int64), np.empty(len(items), np.uint64)
    cdef int64_t[::1] to_counts = counts
    cdef uint64_t[::1] to_rest = rest
    left = part_hot(level, &items[0], items.shape[0], &hot[0], &to_counts[0], &to_rest[0])
    return counts.tolist(), rest[:left].tolist()
