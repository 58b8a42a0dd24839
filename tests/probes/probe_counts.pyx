"""Count tables by themselves, and the operators on pairs called unit by unit."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from streambench.pyx.tuples.columns cimport Columns, clear_columns, reset_as, widen
from streambench.pyx.state.count_table cimport (
    CountTable, Slot, clear_table, copy_counts, count_keys, count_keys_among, forget_counts, hash_of, init_table,
    keys_held, move_counts,
)
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.tuples.operator cimport ANY_PARTITION, Operator, PartitionedStateful, Stateful
from probe_columns cimport bind_to, emitted_tuples, fill_unit

import numpy as np


def partition_of(int64_t key, int32_t partitions):
    return partition_by_hash(key, partitions)


cdef class CountTables:
    """``n`` tables, and functions of ``count_table`` on them by number."""

    cdef CountTable* tables
    cdef int32_t n

    def __cinit__(self, int32_t n=1):
        cdef int32_t k
        self.n = n
        self.tables = <CountTable*>calloc(n, sizeof(CountTable))
        for k in range(n):
            init_table(&self.tables[k])

    def __dealloc__(self):
        cdef int32_t k
        for k in range(self.n):
            clear_table(&self.tables[k])
        free(self.tables)

    def count(self, keys, table_of=None):
        """All in table 0, or each in its own."""
        cdef uint64_t[::1] from_keys = np.array(keys, dtype=np.uint64)
        cdef uint32_t[::1] tables
        counts = np.empty(len(from_keys), dtype=np.int64)
        cdef int64_t[::1] to_counts = counts
        if len(counts) and table_of is None:
            count_keys(self.tables, &from_keys[0], <int32_t>len(counts), &to_counts[0])
        elif len(counts):
            tables = np.array(table_of, dtype=np.uint32)
            count_keys_among(self.tables, self.n, &tables[0], &from_keys[0], <int32_t>len(counts), &to_counts[0])
        return counts

    def forget(self, int32_t k=0):
        forget_counts(&self.tables[k])

    def move_to_others(self):
        """From table 0 to the others, by hash."""
        move_counts(self.tables, self.tables + 1, self.n - 1, 0)

    def held(self, int32_t k=0):
        """(keys, counts)."""
        n = keys_held(&self.tables[k])
        keys, counts = np.empty(n + 1, dtype=np.uint64), np.empty(n + 1, dtype=np.int64)
        cdef uint64_t[::1] to_keys = keys
        cdef int64_t[::1] to_counts = counts
        assert copy_counts(&self.tables[k], &to_keys[0], &to_counts[0]) == n
        return keys[:n], counts[:n]

    def regions(self):
        """How many regions table 0 has."""
        cdef CountTable* table = self.tables
        cdef size_t at
        return 1 + sum(table.directory[at] != table.directory[at - 1]
                       for at in range(1, <size_t>1 << (64 - table.shift)))

    def away_from_home(self):
        """The share of table 0's keys that are not in the four slots of their home's cache line."""
        cdef CountTable* table = self.tables
        cdef size_t at
        cdef uint64_t k, away = 0, held = 0
        cdef Slot* slot
        for at in range(<size_t>1 << (64 - table.shift)):
            if at > 0 and table.directory[at] == table.directory[at - 1]:
                continue
            for k in range(table.mask + 1):
                slot = table.directory[at].slots + k
                if slot.count > table.base:
                    held += 1
                    away += (hash_of(slot.key) & table.mask) // 4 != k // 4
        return away / held




def share(PartitionedStateful operator, bint shared):
    operator.share(shared)


def prepare(Operator operator, columns, int32_t partitions):
    """Let it take columns of the types of these arrays, and open it."""
    bind_to(operator, columns)
    operator.prepare(partitions)


def process_in_place(PartitionedStateful operator, columns, calls):
    """Process one unit, of arrays, by ``calls``: (partition or None for any, rows or None for all).
    Returns the appended column."""
    cdef Columns rows
    cdef uint32_t[::1] selected
    memset(&rows, 0, sizeof(Columns))
    fill_unit(&rows, columns, 0, <int32_t>len(columns[0]))
    widen(&rows, operator.emitted_width, operator.layout)
    for partition, chosen in calls:
        if chosen is None:
            assert operator.process(ANY_PARTITION, &rows, NULL, rows.n, &rows) == -1
        elif len(chosen):
            selected = np.array(chosen, dtype=np.uint32)
            assert operator.process(ANY_PARTITION if partition is None else partition, &rows, &selected[0],
                                    <int32_t>len(chosen), &rows) == -1
    appended = [rows.column[rows.width - 1][i] for i in range(rows.n)]
    clear_columns(&rows)
    return appended


def process_stateful(Stateful operator, columns):
    """Process one unit, of arrays; returns the rows that are emitted."""
    cdef Columns rows, out
    memset(&rows, 0, sizeof(Columns))
    memset(&out, 0, sizeof(Columns))
    fill_unit(&rows, columns, 0, <int32_t>len(columns[0]))
    reset_as(&out, operator.emitted_width, operator.layout)
    assert operator.process(&rows, &out) == -1
    emitted = emitted_tuples(&out, operator)
    clear_columns(&rows)
    clear_columns(&out)
    return emitted


def flush_stateful(Stateful operator):
    """The rows that it emits at end of stream."""
    cdef Columns out
    memset(&out, 0, sizeof(Columns))
    emitted = []
    while True:
        reset_as(&out, operator.emitted_width, operator.layout)
        if operator.flush(&out, 1000) == 0:
            break
        emitted += emitted_tuples(&out, operator)
    clear_columns(&out)
    return emitted
