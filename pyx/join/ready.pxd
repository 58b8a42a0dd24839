"""Ready tuples: what a gate gives its readers, in the total order."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from streambench.pyx.join.record cimport Record
from streambench.pyx.tuples.columns cimport Columns

cdef struct Ready:
    int64_t ts
    int64_t sequence                    # of its source's tuples, from 0
    const char* values                  # the tuple, a `Record`
    int32_t source

cdef inline int64_t first_int64(const Ready* ready) noexcept nogil:
    """The first value, of a tuple that begins with an int64. Tuples are not aligned."""
    cdef int64_t value
    memcpy(&value, ready.values, sizeof(value))
    return value

cdef void unpack(Record* record, const Ready* ready, int64_t n, Columns* out) noexcept nogil
