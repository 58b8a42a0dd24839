"""A summary over a Monitored Set that threads share: what the designs "shared" and "cooperative" are to their users."""

from libc.stdint cimport int64_t, uint64_t
from streambench.pyx.topk.monitored_set cimport Hand, MonitoredSet
from streambench.pyx.topk.summary cimport Summary

cdef class MonitoredSummary(Summary):
    cdef MonitoredSet set
    cdef void count_some(self, Hand* me, const uint64_t* items, int64_t n) noexcept nogil
