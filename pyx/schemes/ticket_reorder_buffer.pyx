"""The ticket scheme: the Ordered Scheduler's ring (paper 003) as a reorder buffer.

One exchange per output hands it in and asks for the turn at once, where the non-blocking scheme has a store and a flag.
"""

from libcpp.atomic cimport memory_order_acquire
from streambench.pyx.schemes.reorder_buffer cimport REFUSED, RETRIES, WAITING, Downstream
from streambench.pyx.machine.simulated cimport REORDER, touch
from streambench.pyx.order.turn_ring cimport advance, clear_ring, fits, init_ring, leave, put, take_out


cdef class TicketReorderBuffer(ReorderBuffer):
    """A turn ring of ``size`` slots."""

    def __cinit__(self, Downstream downstream, int64_t size):
        init_ring(&self.ring, size)

    def __dealloc__(self):
        clear_ring(&self.ring)

    cdef bint send(self, int64_t serial, void* output) noexcept nogil:
        if not fits(&self.ring, serial):
            self.count(REFUSED)
            return False
        touch(REORDER, <char*>self.ring.slots + ((serial & self.ring.mask) >> 3 << 6))
        if not put(&self.ring, serial, output):
            self.count(WAITING)
            return True
        while True:
            take_out(&self.ring)        # before it is sent: the next piece may be there before that returns
            if output != self.trashed() and not (<Downstream>self.downstream).send_downstream(output):
                output = NULL
            else:
                touch(REORDER, self.ring.next)
                output = advance(&self.ring)
            if output is NULL:
                if leave(&self.ring, &output):
                    return True
                self.count(RETRIES)

    cdef bint trash(self, int64_t serial) noexcept nogil:
        """Release ``serial``, whose output will never come, so that those behind it can go; False as for ``send``."""
        return self.send(serial, self.trashed())

    cdef int64_t sent(self) noexcept nogil:
        """How many outputs have gone downstream or were trashed."""
        return self.ring.next.value.load(memory_order_acquire)
