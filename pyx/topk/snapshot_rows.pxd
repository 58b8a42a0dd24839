"""What is left to do once a snapshot's rows have been read."""

from libc.stdint cimport int64_t
from streambench.pyx.topk.summary cimport Snapshot

cdef void keep_largest(Snapshot* out, int64_t counters) noexcept nogil
