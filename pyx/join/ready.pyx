"""Ready tuples become columns again."""

from libc.string cimport memcpy
from streambench.pyx.tuples.columns cimport reserve
from streambench.pyx.tuples.layout cimport size_of


cdef void unpack(Record* record, const Ready* ready, int64_t n, Columns* out) noexcept nogil:
    """Append ``n`` tuples, all of sources with this record, to the first columns of ``out``."""
    cdef int32_t k, size, offset
    cdef int64_t i
    cdef char* to
    reserve(out, n)
    for k in range(record.width):
        size, offset = size_of(record.layout, k), record.offset[k]
        to = <char*>out.column[k] + <int64_t>out.n * size
        if size == 8:                   # a constant size makes one move of it
            for i in range(n):
                memcpy(to + 8 * i, ready[i].values + offset, 8)
        elif size == 4:
            for i in range(n):
                memcpy(to + 4 * i, ready[i].values + offset, 4)
        else:
            for i in range(n):
                memcpy(to + size * i, ready[i].values + offset, size)
    out.n += <int32_t>n
