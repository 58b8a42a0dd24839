"""Copies of rows, column by column, in memory that outlives the unit that they came in."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns

cdef class KeptColumns:
    cdef vector[vector[char]] bytes     # by column
    cdef void append(self, Columns* rows, int32_t begin, int32_t n) noexcept nogil
