"""Filtering rows by both of its paths, whatever the processor; and passing whole columns on."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns, clear_columns, reserve, reset
from streambench.pyx.tuples.keep_rows cimport keep_rows, pass_column

cdef extern from *:
    int32_t keep_by_one "streambench::keep_by_one"(const int64_t* p, const int64_t* q, int64_t flip, int32_t i,
                                                   int32_t n, int32_t width, int64_t** source, int64_t** to,
                                                   int32_t kept) noexcept nogil


def kept(columns, int32_t p, int32_t q, int64_t flip, bint by_one, bint in_place):
    """Return the columns of the rows that are kept by columns ``p`` and ``q``."""
    cdef vector[vector[int64_t]] held = columns, results
    cdef int64_t* source[8]
    cdef int64_t* to[8]
    cdef int32_t width = <int32_t>len(columns), n = <int32_t>len(columns[0]), k, left
    results = held
    for k in range(width):
        source[k] = held[k].data()
        to[k] = source[k] if in_place else results[k].data()
    if by_one:
        left = keep_by_one(source[p], source[q], flip, 0, n, width, source, to, 0)
    else:
        left = keep_rows(source[p], source[q], flip, n, width, source, to)
    return [[to[k][i] for i in range(left)] for k in range(width)]


def passed_on(rounds):
    """Pass units from one to the other of two ``Columns`` as an operator and the next do; return what was passed.

    A round: (rows, whose memory column 0 is in: its own or another's, the column it becomes). Column 1 is the operator's
    own output. Between rounds the two change places.
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
