"""Puts the outputs of concurrent workers back in order."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic
from streambench.pyx.padded cimport PaddedCounter

cdef class Downstream:
    """Where ordered outputs go: called by one worker at a time, in serial order."""
    cdef void send_downstream(self, void* output) noexcept nogil

cdef class ReorderBuffer:
    """A reordering scheme: lock-based, non-blocking and ticket schemes share this seam."""
    cdef void* downstream               # borrowed Downstream: whoever owns both keeps it alive
    cdef bint send(self, int64_t serial, void* output) noexcept nogil
    cdef int64_t sent(self) noexcept nogil

cdef class NonBlockingReorderBuffer(ReorderBuffer):
    cdef atomic[void*]* slots           # slots[t & mask]: output t if next is in (t - size, t], else empty (NULL)
    cdef int64_t mask
    cdef PaddedCounter* next            # serial number of the next output to send; written only under the flag
    cdef PaddedCounter* flag            # 1 while a worker sends outputs downstream
    cdef bint try_add(self, int64_t serial, void* output) noexcept nogil
    cdef void send_pending(self) noexcept nogil
