"""The ring of the Ordered Scheduler (paper 003): how it is made; what it does is in the ``.pxd``, to be inlined."""

from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.slots cimport delete_slots, new_slots


cdef int init_ring(TurnRing* ring, int64_t size) except -1:
    """Make a ring of ``size`` slots, a power of two; the turn is in slot 0. The struct must have been zeroed."""
    ring.mask = size - 1
    ring.slots = new_slots(size)
    ring.next = new_counters(1)
    ring.slots[0].store(turn(ring), memory_order_relaxed)
    return 0


cdef void clear_ring(TurnRing* ring) noexcept nogil:
    """Free what ``init_ring`` got; items that are still inside are their owner's affair."""
    delete_slots(ring.slots)
    delete_counters(ring.next)
