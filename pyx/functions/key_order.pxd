"""States of keys in the order in which functions are called for them."""

from libc.stdint cimport int64_t
from streambench.pyx.tuples.columns cimport MAX_COLUMNS

cdef class KeyOrder:
    cdef tuple kept
    cdef int64_t n
    cdef int64_t done                   # of them the function has been called for these
    cdef int64_t* states                # where they are
    cdef int64_t* times                 # or NULL
    cdef void* column[MAX_COLUMNS]

cdef KeyOrder ordered(list columns, states, times)
