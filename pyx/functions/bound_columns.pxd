"""The columns that a function reads and writes."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns

cdef class BoundColumns:
    cdef tuple read_types               # NumPy's, by parameter
    cdef tuple written_types
    cdef int32_t reads
    cdef int32_t read[MAX_COLUMNS]      # which of the input
    cdef int64_t read_size[MAX_COLUMNS]         # bytes of a value
    cdef int32_t writes
    cdef int32_t first                  # which of the output is the first written
    cdef int64_t written_size[MAX_COLUMNS]
    cdef void inputs(self, Columns* rows, int64_t row, void** at) noexcept nogil
    cdef void outputs(self, Columns* out, int64_t row, void** at) noexcept nogil
    cdef void clear_outputs(self, Columns* out, int64_t row, int64_t n) noexcept nogil
    cdef tuple input_views(self, Columns* rows, int64_t row, int64_t n)
    cdef tuple output_views(self, Columns* out, int64_t row, int64_t n)

cdef object view(void* data, int64_t n, object dtype, bint writable)
