"""What is left to do once a snapshot's rows have been read."""

from libc.stdint cimport int64_t
from streambench.pyx.heavy_hitters.summary cimport Snapshot

cdef void keep_largest(Snapshot* out, int64_t counters) noexcept nogil
