"""Operators that break a rule on purpose: whoever checks a run must notice them."""

from libc.stdint cimport int32_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.operator cimport PartitionedStateful


cdef class TellsPartition(PartitionedStateful):
    """In place: appends to (key, value) the partition that was called, so another sequence where there are several."""

    def __init__(self):
        self.columns = ("key", "value", "partition")
        self.in_place = True

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i
        for i in range(n):
            out.column[2][selected[i]] = partition
        return -1
