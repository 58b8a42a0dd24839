"""The state of keys as columns, and back: so that a stream can stop, and go on elsewhere.

What the words of a row mean is the operator's: it names them, or keeps them together.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy
from streambench.pyx.state.keyed_rows cimport FarKey, KeyedRows
from streambench.pyx.tuples.operator cimport ANY_PARTITION

import numpy as np

from streambench.pyx.state.buffers import buffer

KEY = "key"
ROW = "row"


cdef inline bint is_empty(const int64_t* row, int64_t words) noexcept nogil:
    cdef int64_t k, any = 0
    for k in range(words):
        any |= row[k]
    return any == 0


def save_rows(KeyedRows rows, tuple names):
    """The rows that are not all zero as int64 columns, by name, ascending by ``KEY``, which is the first.

    ``names``: of the row's words, from the first; those beyond are not saved.
    """
    cdef int64_t words = rows.row_size // 8, key, n = 0, saved = len(names), k
    cdef char* row
    cdef int64_t[::1] keys
    cdef int64_t[:, ::1] table
    rows.begin_flush()
    while (row := rows.next_in_order(&key)) is not NULL:
        n += not is_empty(<const int64_t*>row, words)
    all_keys, all_words = np.empty(n, np.int64), np.empty((saved, n), np.int64)
    keys, table = all_keys, all_words
    n = 0
    rows.begin_flush()
    while (row := rows.next_in_order(&key)) is not NULL:
        if not is_empty(<const int64_t*>row, words):
            keys[n] = key
            for k in range(saved):
                table[k, n] = (<const int64_t*>row)[k]
            n += 1
    rows.flushing = False                   # it may go on
    return {KEY: all_keys, **dict(zip(names, all_words, strict=True))}


def load_rows(KeyedRows rows, columns, tuple names):
    """Fill open, empty rows with what `save_rows` gave of others."""
    cdef const int64_t[::1] keys = np.ascontiguousarray(columns[KEY], np.int64)
    cdef const int64_t[::1] values
    cdef int64_t i, k
    for k, name in enumerate(names):
        values = np.ascontiguousarray(columns[name], np.int64)
        for i in range(keys.shape[0]):
            (<int64_t*>row_of(rows, keys[i]))[k] = values[i]


cdef dict copied_rows(KeyedRows rows, int64_t used):
    """The rows that are not all zero, in no order: ``key``, and the first ``used`` bytes of each as ``row``."""
    cdef int64_t words = (used + 7) // 8, n = 0, at
    cdef size_t k, far = 0
    cdef int32_t p
    cdef FarKey one
    cdef int64_t[::1] keys
    cdef char[:, ::1] copies
    for p in range(rows.partitions):
        far += rows.n_far(p)
    for at in range(<int64_t>rows.near_keys):
        n += not is_empty(<const int64_t*>(rows.near + at * rows.row_size), words)
    all_keys, all_rows = buffer((n + far,), "int64"), buffer((n + far, used), "int8")
    keys, copies = all_keys, all_rows
    n = 0
    for at in range(<int64_t>rows.near_keys):
        if not is_empty(<const int64_t*>(rows.near + at * rows.row_size), words):
            keys[n] = at
            memcpy(&copies[n, 0], rows.near + at * rows.row_size, used)
            n += 1
    for p in range(rows.partitions):
        for k in range(rows.n_far(p)):
            one = rows.far_at(p, k)
            if not is_empty(<const int64_t*>one.row, words):
                keys[n] = one.key
                memcpy(&copies[n, 0], one.row, used)
                n += 1
    return {KEY: all_keys[:n], ROW: all_rows[:n]}


def put_rows(KeyedRows rows, columns):
    """Fill open, empty rows with those that `copied_rows` gave of others."""
    cdef const int64_t[::1] keys = columns[KEY]
    cdef const char[:, ::1] copies = columns[ROW]
    cdef int64_t i
    for i in range(keys.shape[0]):
        memcpy(row_of(rows, keys[i]), &copies[i, 0], copies.shape[1])


cdef char* row_of(KeyedRows rows, int64_t key) noexcept nogil:
    """The row of a key, near or far."""
    if <uint64_t>key < rows.near_keys:
        return rows.near + key * rows.row_size
    return rows.far(ANY_PARTITION, key)
