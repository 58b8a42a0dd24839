"""The state of keys by itself, and partitioned operators called unit by unit in the ways that a runtime may choose."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset
from libcpp.vector cimport vector
from probe_columns cimport bind_to, emitted_tuples, fill_unit
from streambench.pyx.tuples.columns cimport Columns, clear_columns, reset_as
from streambench.pyx.state.keyed_rows cimport KeyedRows, RowsAhead, look_ahead, next_row
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful
from streambench.pyx.partition.partitioning cimport Partitioning


cdef class Rows:
    """Adds amounts to keys, each in the first field of its row; every other field holds the key."""
    cdef KeyedRows rows
    cdef Partitioning partitioning

    def __init__(self, row_size):
        self.rows = KeyedRows(row_size)

    def open(self, partitions, bound):
        self.rows.open(partitions, bound)
        self.partitioning = Partitioning(partitions)

    cdef int64_t* row(self, int64_t key, bint named):
        if 0 <= key < <int64_t>self.rows.near_keys:
            return <int64_t*>(self.rows.near + key * self.rows.row_size)
        return <int64_t*>self.rows.far(self.partitioning.partition(key) if named else ANY_PARTITION, key)

    def add(self, int64_t key, int64_t amount, bint named):
        """Return whether the row was the key's alone until now; ``named``: look it up by its partition."""
        cdef int64_t* row = self.row(key, named)
        cdef int64_t k, fields = self.rows.row_size // 8
        cdef bint fresh = True, own = True
        for k in range(fields):
            fresh &= row[k] == 0
            own &= k == 0 or row[k] == key
        row[0] += amount
        for k in range(1, fields):
            row[k] = key
        return fresh or own

    def address(self, int64_t key, bint named):
        return <size_t>self.row(key, named)

    def add_all(self, const int64_t[::1] keys, const uint32_t[::1] selected, int32_t partition):
        """Add to the keys' rows, found ahead: 1 to that of the first, 2 to that of the second and so on."""
        cdef RowsAhead ahead
        cdef int64_t* row
        cdef int32_t i, n = <int32_t>(keys.shape[0] if selected is None else selected.shape[0])
        cdef const uint32_t* chosen = NULL
        if selected is not None and n > 0:
            chosen = &selected[0]
        look_ahead(&ahead, self.rows, self.rows.row_size, partition, &keys[0], sizeof(int64_t), chosen, n)
        for i in range(n):
            row = <int64_t*>next_row(&ahead, self.rows, self.rows.row_size, i)
            row[0] += i + 1

    def flush(self, bint again=False):
        """Return the (key, total) of rows that are not zero, in the order of the flush; ``again``: begin it anew."""
        cdef int64_t key = 0
        cdef int64_t* row
        found = []
        if again:
            self.rows.begin_flush()
        while True:
            row = <int64_t*>self.rows.next_in_order(&key)
            if row is NULL:
                return found
            if row[0]:
                found.append((key, row[0]))


def drive(PartitionedStateful operator, columns, int32_t partitions, units, bint by_range=False, int32_t at_most=3):
    """Call ``operator`` on the tuples of ``columns``, NumPy arrays; then flush it. Returns (its
    outputs in order, what it flushed).

    ``units``: (length, named) of each unit; ``named``: its rows are given partition by partition, else all at once.
    """
    cdef Columns rows, out
    cdef vector[int64_t] keys
    cdef vector[uint32_t] selected
    cdef Partitioning partitioning = Partitioning(partitions, by_range, operator.low_key, operator.high_key)
    cdef int32_t p, i, begin = 0, n
    memset(&rows, 0, sizeof(Columns))
    memset(&out, 0, sizeof(Columns))
    bind_to(operator, columns)
    operator.prepare(partitions)
    outputs, flushed = [], []
    for n, named in units:
        clear_columns(&rows)  # memory of its own for each unit, so that reading beyond the rows is seen by a sanitizer
        fill_unit(&rows, columns, begin, n)
        begin += n
        if not named:
            reset_as(&out, operator.emitted_width, operator.layout)
            assert operator.process(ANY_PARTITION, &rows, NULL, n, &out) == -1
            outputs += emitted_tuples(&out, operator)
            continue
        keys.resize(n)
        operator.select_keys(&rows, keys.data())
        sourced = []
        for p in reversed(range(partitions)):
            selected.clear()
            for i in range(n):
                if partitioning.partition(keys[i]) == p:
                    selected.push_back(<uint32_t>i)
            if selected.empty():
                continue
            reset_as(&out, operator.emitted_width, operator.layout)
            assert operator.process(p, &rows, selected.data(), <int32_t>selected.size(), &out) == -1
            sources = [out.source_row[i] for i in range(out.n)]
            assert sources == sorted(sources)
            sourced += zip(sources, emitted_tuples(&out, operator), strict=True)
        sourced.sort(key=lambda one: one[0])
        outputs += [values for _, values in sourced]
    while True:
        reset_as(&out, operator.emitted_width, operator.layout)
        if operator.flush(&out, at_most) == 0:
            break
        flushed += emitted_tuples(&out, operator)
    clear_columns(&rows)
    clear_columns(&out)
    return outputs, flushed
