"""Running counts of pairs, by partition: the counting step of Q1, Q2 and Q3."""

from cython.operator cimport dereference, preincrement

import numpy as np


cdef class PairCounts(PartitionedStateful):
    """Counts pairs and appends the running count ``n`` to each, in place.

    ``columns``: those of the input; the pair is the last two. ``windowed``: the first column is a window that never
    decreases; the counts of a window go when a later one reaches the partition. ``by_first``: the key is the pair's first
    member instead of both.
    """

    def __init__(self, columns, bint windowed=False, bint by_first=False):
        self.columns = (*columns, "n")
        self.in_place = True
        self.first = <int32_t>len(columns) - 2
        self.window_column = 0 if windowed else -1
        self.key_is_first = by_first

    def open(self, int32_t partitions=1):
        self.windows.assign(partitions, -1)
        self.counts.clear()
        self.counts.resize(partitions)

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        cdef int64_t* a = rows.column[self.first]
        cdef int64_t* b = rows.column[self.first + 1]
        if self.key_is_first:
            for i in range(rows.n):
                keys[i] = a[i]
        else:
            for i in range(rows.n):
                keys[i] = <int64_t>pack(a[i], b[i])

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef unordered_flat_map[uint64_t, int64_t]* counts = &self.counts[partition]
        cdef int64_t* a = rows.column[self.first]
        cdef int64_t* b = rows.column[self.first + 1]
        cdef int64_t* result = out.column[self.first + 2]
        cdef int64_t* window
        cdef int64_t current
        cdef int32_t i, row
        if self.window_column < 0:
            for i in range(n):
                row = <int32_t>selected[i]
                result[row] = self.increment(counts, pack(a[row], b[row]))
            return -1
        window = rows.column[self.window_column]
        current = self.windows[partition]
        for i in range(n):
            row = <int32_t>selected[i]
            if window[row] != current:
                counts.clear()
                current = window[row]
            result[row] = self.increment(counts, pack(a[row], b[row]))
        self.windows[partition] = current
        return -1

    cdef int64_t increment(self, unordered_flat_map[uint64_t, int64_t]* counts, uint64_t key) noexcept nogil:
        cdef int64_t* count = &counts[0][key]
        count[0] += 1
        return count[0]

    def totals(self):
        """Return (first, second, n), int64 arrays in no particular order: the counts that are held now."""
        cdef size_t size = 0, p, k = 0
        cdef unordered_flat_map[uint64_t, int64_t].iterator at
        for p in range(self.counts.size()):
            size += self.counts[p].size()
        a, b, n = (np.empty(size, dtype=np.int64) for _ in range(3))
        cdef int64_t[::1] to_a = a, to_b = b, to_n = n
        for p in range(self.counts.size()):
            at = self.counts[p].begin()
            while at != self.counts[p].end():
                to_a[k] = <int64_t>(dereference(at).first >> 32)
                to_b[k] = <int64_t>(dereference(at).first & <uint64_t>0xFFFFFFFF)
                to_n[k] = dereference(at).second
                k += 1
                preincrement(at)
        return a, b, n
