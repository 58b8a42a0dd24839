"""The state of keys as columns, and back."""

from libc.stdint cimport int64_t
from streambench.pyx.state.keyed_rows cimport KeyedRows

cdef dict copied_rows(KeyedRows rows, int64_t used)
cdef char* row_of(KeyedRows rows, int64_t key) noexcept nogil
