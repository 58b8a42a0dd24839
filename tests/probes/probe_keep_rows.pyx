"""Filtering rows by both of its paths, whatever the processor."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.keep_rows cimport keep_rows

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
