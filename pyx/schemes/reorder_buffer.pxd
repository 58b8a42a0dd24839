"""Puts the outputs of concurrent workers back in order."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_relaxed
from streambench.pyx.machine.padded cimport PaddedCounter

cdef enum:
    REFUSED             # there was no room: the worker has to send again
    WAITING             # the output was put aside for another worker to send
    RETRIES             # a last look, made before leaving, found an output that had come meanwhile
    CONTENDED           # the lock or the flag was held by another worker
    EVENTS

cdef class Downstream:
    """Where ordered outputs go: called by one worker at a time, in serial order."""
    cdef bint send_downstream(self, void* output) noexcept nogil

cdef class ReorderBuffer:
    """A reordering scheme: lock-based, non-blocking and ticket schemes share this seam."""
    cdef void* downstream               # borrowed Downstream: whoever owns both keeps it alive
    cdef int64_t mask                   # size - 1
    cdef PaddedCounter* events          # how often each of the above happened
    cdef bint send(self, int64_t serial, void* output) noexcept nogil
    cdef int64_t sent(self) noexcept nogil

    cdef inline void count(self, int event) noexcept nogil:
        self.events[event].value.fetch_add(1, memory_order_relaxed)

cdef class NonBlockingReorderBuffer(ReorderBuffer):
    cdef atomic[void*]* slots           # slots[t & mask]: output t if next is in (t - size, t], else empty (NULL)
    cdef PaddedCounter* next            # serial number of the next output to send; written only under the flag
    cdef PaddedCounter* flag            # 1 while a worker sends outputs downstream
    cdef bint try_add(self, int64_t serial, void* output) noexcept nogil
    cdef int64_t send_pending(self) noexcept nogil
