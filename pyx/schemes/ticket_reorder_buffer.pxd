"""Puts outputs back in order by a turn that is passed on."""

from libc.stdint cimport int64_t
from streambench.pyx.schemes.reorder_buffer cimport ReorderBuffer
from streambench.pyx.order.turn_ring cimport TurnRing

cdef class TicketReorderBuffer(ReorderBuffer):
    cdef TurnRing ring
    cdef bint trash(self, int64_t serial) noexcept nogil
    cdef inline void* trashed(self) noexcept nogil:
        """The mark for a released serial number: an address that no output has."""
        return <void*>self.events
