"""A tuple as one record: the values of its columns one behind the other, without gaps."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport MAX_COLUMNS, LayoutPointer, size_of

cdef struct Record:
    LayoutPointer layout
    int32_t width                       # columns
    int32_t size                        # bytes of all of them
    int32_t offset[MAX_COLUMNS]         # where a column's value begins

cdef Record record_of(tuple types) except *
cdef void pack_rows(Record* record, Columns* rows, int64_t begin, int64_t n, char* to) noexcept nogil

cdef inline void pack(Record* record, Columns* rows, int64_t row, char* to) noexcept nogil:
    """Write one row as a record."""
    cdef int32_t k, size
    for k in range(record.width):
        size = size_of(record.layout, k)
        memcpy(to + record.offset[k], <char*>rows.column[k] + row * size, size)
