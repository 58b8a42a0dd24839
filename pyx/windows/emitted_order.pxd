"""The order in which windows are emitted."""

from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector
from streambench.pyx.tuples.columns cimport Columns

cdef bint are_in_order(Columns* windows, int32_t n_keys) noexcept nogil
cdef void order_windows(Columns* windows, int32_t n_keys, vector[uint32_t]& order) noexcept nogil
cdef void copy_in_order(Columns* windows, const uint32_t* order, int32_t n, Columns* out) noexcept nogil
