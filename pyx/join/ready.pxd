"""Ready tuples: what a gate gives its readers, in the total order."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.join.record cimport Record
from streambench.pyx.tuples.columns cimport Columns

cdef struct Ready:
    int64_t ts
    int64_t sequence                    # of its source's tuples, from 0
    const char* values                  # the tuple, a `Record`
    int32_t source

cdef void unpack(Record* record, const Ready* ready, int64_t n, Columns* out) noexcept nogil
