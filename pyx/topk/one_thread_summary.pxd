"""A summary that one thread updates, while any may look: what the designs "sequential" and "lossy" have in common."""

from libc.stdint cimport int64_t, uint64_t
from streambench.pyx.topk.summary cimport Summary
from streambench.pyx.machine.ticket_lock cimport TicketLock

cdef class OneThreadSummary(Summary):
    cdef TicketLock lock                # of all that is counted, for a piece of an update or a look
    cdef void count(self, const uint64_t* items, int64_t n) noexcept nogil
