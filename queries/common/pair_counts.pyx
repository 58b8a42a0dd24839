"""Running counts of pairs, by partition: the counting step of Q1, Q2 and Q3."""

from libc.stdlib cimport calloc, free
from streambench.pyx.state.count_table cimport (
    clear_table, copy_counts, count_keys, count_keys_among, forget_counts, init_table, keys_held, move_counts,
    put_counts,
)
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.partition.key_hash cimport partition_column
from streambench.pyx.tuples.columns cimport integer_at
from streambench.pyx.tuples.layout cimport INT32, type_of
from streambench.pyx.tuples.operator cimport ANY_PARTITION
from streambench.pyx.tuples.typed_columns cimport int32_column, int64_column
from streambench.queries.common.windows cimport end_of_window

import numpy as np

from streambench.queries.common.column_types import KEY, TIME

cdef enum:
    BLOCK = 512                         # rows whose keys are taken from the columns at a time
    MOST_JOINED = 1 << 15               # counts: with more, the tables of the partitions have them, whoever counts


ctypedef fused item_t:
    int64_t
    int32_t


cdef inline void pack_items(const item_t* a, const item_t* b, const uint32_t* selected, int32_t begin, int32_t n,
                            uint64_t* keys) noexcept nogil:
    cdef int32_t k
    if selected is NULL:
        for k in range(n):
            keys[k] = pack(a[begin + k], b[begin + k])
    else:
        for k in range(n):
            keys[k] = pack(a[selected[begin + k]], b[selected[begin + k]])


cdef void init_tables(void* counts) noexcept nogil:
    cdef int32_t p
    for p in range((<PairCounts>counts).n_tables + 1):
        init_table(&(<PairCounts>counts).tables[p])


cdef class PairCounts(PartitionedStateful):
    """Counts pairs and appends the running count ``n`` to each, in place.

    ``columns``: those it reads; the pair is the last two. ``windowed``: the first column is a window that never
    decreases; the counts of a window go when a later one reaches the partition. ``by_first``: the key is the pair's
    first member instead of both.
    """

    def __init__(self, columns, bint windowed=False, bint by_first=False):
        *window, a, b = columns
        self.reads = {**{name: TIME + KEY for name in window}, a: KEY, b: f"={a}"}
        self.columns = ("n",)
        self.in_place = True
        self.partition_free = True
        self.first = <int32_t>len(window)
        self.windowed = windowed
        self.key_is_first = by_first

    def __dealloc__(self):
        self.close()

    def open(self, int32_t partitions=1):
        self.close()
        self.tables = <CountTable*>calloc(partitions + 1, sizeof(CountTable))
        if self.tables is NULL:
            raise MemoryError(f"{partitions} tables of counts")
        self.n_tables = partitions
        self.joint = False
        if not has_memory(init_tables, <void*>self):
            raise MemoryError(f"{partitions} tables of counts")
        self.windows.assign(partitions + 1, -1)

    def save(self):
        """The window and its counts, of which a partition may have older ones that no pair can come to any more."""
        cdef int64_t window = max(list(self.windows))
        keys, n = self.counts_of([p for p in range(self.n_tables + 1) if self.windows[p] == window])
        return {"window": np.array([window]), "keys": keys, "n": n}

    def load(self, saved):
        cdef const uint64_t[::1] keys = saved["keys"]
        cdef const int64_t[::1] counts = saved["n"]
        self.windows.assign(self.n_tables + 1, <int64_t>saved["window"][0])
        if keys.shape[0]:
            put_counts(self.tables, self.n_tables, 32 if self.key_is_first else 0, &keys[0], &counts[0],
                       keys.shape[0])

    cdef int close(self) except -1:
        cdef int32_t p
        if self.tables is not NULL:
            for p in range(self.n_tables + 1):
                clear_table(&self.tables[p])
        free(self.tables)
        self.tables = NULL
        self.n_tables = 0
        return 0

    cdef void select_keys(self, Columns* rows, int64_t* keys) noexcept nogil:
        cdef int32_t i
        self.pack_keys(rows, NULL, 0, rows.n, <uint64_t*>keys)
        if self.key_is_first:
            for i in range(rows.n):
                keys[i] = <int64_t>(<uint64_t>keys[i] >> 32)

    cdef void pack_keys(self, Columns* rows, const uint32_t* selected, int32_t begin, int32_t n,
                        uint64_t* keys) noexcept nogil:
        cdef int32_t a = self.at[self.first], b = self.at[self.first + 1]
        if type_of(rows.layout, a) == INT32:
            pack_items(int32_column(rows, a), int32_column(rows, b), selected, begin, n, keys)
        else:
            pack_items(int64_column(rows, a), int64_column(rows, b), selected, begin, n, keys)

    cdef void share(self, bint shared) noexcept nogil:
        cdef int32_t p
        cdef CountTable* all = &self.tables[self.n_tables]
        if shared and self.joint:
            self.divide()
        elif not shared and not self.joint and self.n_tables > 1 and 2 * self.held() <= MOST_JOINED:
            for p in range(self.n_tables):
                self.windows[self.n_tables] = max(self.windows[self.n_tables], self.windows[p])
            for p in range(self.n_tables):
                if self.windows[p] < self.windows[self.n_tables]:
                    forget_counts(&self.tables[p])      # of a window that is over, but this partition has not been told
                move_counts(&self.tables[p], all, 1, 0)
            self.joint = True

    cdef void divide(self) noexcept nogil:
        """From the table for all to those of the partitions."""
        cdef int32_t p
        move_counts(&self.tables[self.n_tables], self.tables, self.n_tables, 32 if self.key_is_first else 0)
        for p in range(self.n_tables):
            self.windows[p] = self.windows[self.n_tables]
        self.joint = False

    cdef int64_t held(self) noexcept nogil:
        cdef int64_t held = 0
        cdef int32_t p
        for p in range(self.n_tables + 1):
            held += keys_held(&self.tables[p])
        return held

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int64_t* result = int64_column(out, self.to[0])
        cdef int32_t window = self.at[0], begin = 0, end
        if self.n_tables == 1:
            partition = 0
        elif self.joint:
            if keys_held(&self.tables[self.n_tables]) > MOST_JOINED:
                self.divide()
            else:
                partition = self.n_tables
        if not self.windowed:
            self.count(partition, rows, selected, 0, n, result)
            return -1
        while begin < n:
            end = end_of_window(rows, window, selected, begin, n)
            self.begin_window(partition, integer_at(rows, window, selected[begin] if selected is not NULL else begin))
            self.count(partition, rows, selected, begin, end, result)
            begin = end
        return -1

    cdef void begin_window(self, int32_t partition, int64_t window) noexcept nogil:
        cdef int32_t p, begin = partition, end = partition + 1
        if partition == ANY_PARTITION:      # all of them: none can get a row of an earlier window any more
            begin, end = 0, self.n_tables
        for p in range(begin, end):
            if self.windows[p] != window:
                self.windows[p] = window
                forget_counts(&self.tables[p])

    cdef void count(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t begin, int32_t end,
                    int64_t* result) noexcept nogil:
        """Count the pairs of rows ``selected[begin:end]``, or of rows ``begin`` to ``end`` - 1 if it is NULL."""
        cdef uint64_t keys[BLOCK]
        cdef int64_t counts[BLOCK]
        cdef int64_t firsts[BLOCK]
        cdef uint32_t tables[BLOCK]
        cdef int64_t* to = counts
        cdef int32_t k, n
        while begin < end:
            n = min(end - begin, BLOCK)
            self.pack_keys(rows, selected, begin, n, keys)
            if selected is NULL:
                to = result + begin
            if partition != ANY_PARTITION:
                count_keys(&self.tables[partition], keys, n, to)
            else:
                if self.key_is_first:
                    for k in range(n):
                        firsts[k] = keys[k] >> 32
                    partition_column(firsts, tables, n, self.n_tables)
                else:
                    partition_column(<int64_t*>keys, tables, n, self.n_tables)
                count_keys_among(self.tables, self.n_tables, tables, keys, n, to)
            if selected is not NULL:
                for k in range(n):
                    result[selected[begin + k]] = counts[k]
            begin += n

    @property
    def counts_windows_by_first(self) -> bool:
        """Has each window counts of its own, and is the key the pair's first member?"""
        return self.windowed and self.key_is_first

    def counts_of(self, tables):
        """The keys of these tables, uint64, and their counts, int64, in no particular order."""
        cdef int64_t size = 0, k = 0
        cdef int32_t p
        for p in tables:
            size += keys_held(&self.tables[p])
        keys, n = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int64)
        cdef uint64_t[::1] to_keys = keys
        cdef int64_t[::1] to_n = n
        for p in tables:
            if k < size:
                k += copy_counts(&self.tables[p], &to_keys[k], &to_n[k])
        return keys, n

    def totals(self):
        """Return (first, second, n), int64 arrays in no particular order: the counts that are held now."""
        keys, n = self.counts_of(range(self.n_tables + 1))
        return (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64), n
