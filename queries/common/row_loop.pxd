"""A partitioned operator's loop over its rows, written once and compiled for each way in which it can be called: for
all rows or some of them, with narrow or wide columns."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport INT64, type_of
from streambench.pyx.tuples.operator cimport PartitionedStateful

cdef enum:
    # Which of the columns have 64 bits. Narrow ones: times as uint32, keys as int32.
    WIDE_TIME = 1
    WIDE_KEYS = 2

ctypedef void (*RowLoop)(PartitionedStateful operator, int32_t partition, Columns* rows, const uint32_t* selected,
                         int32_t n, Columns* out, int32_t wide) noexcept nogil

cdef inline int32_t widths(Columns* rows, int32_t time, int32_t key) noexcept nogil:
    """Of the columns ``time`` and ``key``; all keys have the type of that one."""
    cdef int32_t wide = 0
    if type_of(rows.layout, time) == INT64:
        wide |= WIDE_TIME
    if type_of(rows.layout, key) == INT64:
        wide |= WIDE_KEYS
    return wide

cdef inline int32_t run_loop(RowLoop loop, PartitionedStateful operator, int32_t partition, Columns* rows,
                             const uint32_t* selected, int32_t n, Columns* out, int32_t wide) noexcept nogil:
    """What ``process`` returns of a loop that refuses no tuple. ``loop``: an inline method
    of the operator's final class.

    All calls are inlined, and in each of the copies `row_at`, `time_at` and `key_at` ask nothing:
    what they ask is known there.
    """
    if selected is NULL:
        if wide == 0:
            loop(operator, partition, rows, NULL, n, out, 0)
        elif wide == WIDE_TIME:
            loop(operator, partition, rows, NULL, n, out, WIDE_TIME)
        elif wide == WIDE_KEYS:
            loop(operator, partition, rows, NULL, n, out, WIDE_KEYS)
        else:
            loop(operator, partition, rows, NULL, n, out, WIDE_TIME | WIDE_KEYS)
    elif wide == 0:
        loop(operator, partition, rows, selected, n, out, 0)
    elif wide == WIDE_TIME:
        loop(operator, partition, rows, selected, n, out, WIDE_TIME)
    elif wide == WIDE_KEYS:
        loop(operator, partition, rows, selected, n, out, WIDE_KEYS)
    else:
        loop(operator, partition, rows, selected, n, out, WIDE_TIME | WIDE_KEYS)
    return -1

cdef inline int64_t time_at(const void* times, int64_t row, int32_t wide) noexcept nogil:
    return (<const int64_t*>times)[row] if wide & WIDE_TIME else <int64_t>(<const uint32_t*>times)[row]

cdef inline int64_t key_at(const void* keys, int64_t row, int32_t wide) noexcept nogil:
    return (<const int64_t*>keys)[row] if wide & WIDE_KEYS else <int64_t>(<const int32_t*>keys)[row]

cdef inline void put_key(void* keys, int64_t row, int64_t key, int32_t wide) noexcept nogil:
    """Write a key, which fits, to a column of the keys' type."""
    if wide & WIDE_KEYS:
        (<int64_t*>keys)[row] = key
    else:
        (<int32_t*>keys)[row] = <int32_t>key
