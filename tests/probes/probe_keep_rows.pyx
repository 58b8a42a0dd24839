"""Filtering rows by both of its paths, whatever the processor; and passing whole columns on."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns, clear_columns, reserve, reset, reset_as
from streambench.pyx.tuples.keep_rows cimport (
    Kept, begin_blocks, copy_kept, count_kept, drop_nulls, keep_equal, keep_listed, keep_nulls, keep_within, next_block,
    pass_column,
)
from streambench.pyx.tuples.layout cimport LayoutPointer, layout_of, size_of

import numpy as np

cdef extern from "streambench/pyx/tuples/keep_rows.h" nogil:
    void copy_words "streambench::copy_words"(const char* source, char* to, int32_t size, const uint64_t* words,
                                              int32_t n, bint by_one) noexcept


def kept(columns, tests, int32_t from_row, bint in_place):
    """Filter columns, NumPy arrays, from row ``from_row`` on; return what is left of them.

    ``tests``: (name, column, arguments) in turn.
    """
    cdef Columns* rows = <Columns*>calloc(1, sizeof(Columns))
    cdef Columns* out = <Columns*>calloc(1, sizeof(Columns))
    cdef Kept kept
    cdef LayoutPointer layout = layout_of(tuple(each.dtype for each in columns))
    cdef int32_t width = <int32_t>len(columns), n = <int32_t>len(columns[0]), k
    cdef uint8_t[::1] listed
    cdef size_t memory
    try:
        reset_as(rows, width, layout)
        reserve(rows, n)
        rows.n = n
        for k in range(width):
            memory = columns[k].ctypes.data
            memcpy(rows.column[k], <void*>memory, n * size_of(layout, k))
        if in_place:
            free(out)
            out = rows
        else:
            reset_as(out, width, layout)
            reserve(out, n)
        begin_blocks(&kept, from_row)
        out.n = 0
        while next_block(&kept, n):
            for name, column, arguments in tests:
                if name == "drop_nulls":
                    drop_nulls(&kept, rows, column)
                elif name == "keep_nulls":
                    keep_nulls(&kept, rows, column)
                elif name == "keep_equal":
                    keep_equal(&kept, rows, column, arguments)
                elif name == "keep_within":
                    keep_within(&kept, rows, column, arguments[0], arguments[1])
                else:
                    listed = arguments
                    keep_listed(&kept, rows, column, &listed[0], len(listed))
            for k in range(width):
                copy_kept(&kept, rows, k, out, k)
            out.n += count_kept(&kept)
        results = []
        for k in range(width):
            result = np.empty(out.n, dtype=columns[k].dtype)
            memory = result.ctypes.data
            memcpy(<void*>memory, out.column[k], out.n * size_of(layout, k))
            results.append(result)
        return results
    finally:
        clear_columns(rows)
        free(rows)
        if not in_place:
            clear_columns(out)
            free(out)


def copied_by_one(values, const uint64_t[::1] words):
    """What processors without SIMD make of the values that ``words`` keep: an array whose end is undefined."""
    result = np.empty_like(values)
    cdef size_t source = values.ctypes.data, to = result.ctypes.data
    copy_words(<const char*>source, <char*>to, <int32_t>values.dtype.itemsize, &words[0], <int32_t>len(values), True)
    return result


def passed_on(rounds):
    """Pass units from one to the other of two ``Columns`` as an operator and the next do; return what was passed.

    A round: (rows, whose memory column 0 is in: its own or another's, the column it becomes). Column 1 is the
    operator's own output. Between rounds the two change places.
    """
    cdef Columns* now = <Columns*>calloc(1, sizeof(Columns))
    cdef Columns* spare = <Columns*>calloc(1, sizeof(Columns))
    cdef vector[int64_t] foreign
    cdef int32_t n, i, to
    cdef int64_t value = 0
    cdef bint own
    found = []
    for n, own, to in rounds:
        reset(now, 2)
        reserve(now, n)
        foreign.resize(n)
        for i in range(n):
            value += 1
            foreign[i] = value
            now.column[0][i] = now.column[1][i] = value
        if not own:
            now.column[0] = foreign.data()
            now.capacity = 0
        now.n = n
        reset(spare, 2)
        reserve(spare, n)
        for i in range(n):
            spare.column[1 - to][i] = -value
        pass_column(now, 0, spare, to)
        spare.n = n
        found.append(([spare.column[0][i] for i in range(n)], [spare.column[1][i] for i in range(n)],
                      [now.column[1][i] for i in range(n)]))
        now, spare = spare, now
    clear_columns(now)
    clear_columns(spare)
    free(now)
    free(spare)
    return found
