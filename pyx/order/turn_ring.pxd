"""The ring of the Ordered Scheduler (paper 003): items with serial numbers, one turn that travels along it in order.

A slot is empty, holds an item, or holds the *turn*. A worker exchanges its item into its slot. If it finds the turn
there, it has the turn: it deals with its item, then with those that follow, and at the first empty slot leaves the turn
for that item's worker. If not, the worker goes. There is no flag and no waiting, and the turn cannot be lost: it is
with one worker or in the slot of the next item.

    if fits(&ring, serial):
        if put(&ring, serial, item):
            while item is not NULL or not leave(&ring, &item):
                ...                                 # deal with the item, in serial order, one worker at a time
                item = advance(&ring)
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport (
    atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.yield_points cimport yield_point

cdef struct TurnRing:
    atomic[void*]* slots    # slots[t & mask]: item t or NULL if next is in (t - size, t]; the turn only where t is next
    int64_t mask
    PaddedCounter* next     # serial number of the next item to be dealt with; written only by who has the turn

cdef int init_ring(TurnRing* ring, int64_t size) except -1
cdef void clear_ring(TurnRing* ring) noexcept nogil

cdef inline void* turn(TurnRing* ring) noexcept nogil:
    """The mark for the turn: an address that no item has."""
    return &ring.slots[0]

cdef inline bint fits(TurnRing* ring, int64_t serial) noexcept nogil:
    """Is there room for item ``serial``? Once there is, it stays until the item has been put."""
    # Acquire pairs with advance's release: the slot's previous item has left it.
    cdef int64_t n = ring.next.value.load(memory_order_acquire)
    return n <= serial <= n + ring.mask

cdef inline bint put(TurnRing* ring, int64_t serial, void* item) noexcept nogil:
    """Put in an item that fits; True: the turn is the caller's and the item too, False: another worker will take it."""
    yield_point()
    # Release publishes the item to advance or leave; acquire pairs with leave: all before has been dealt with.
    return ring.slots[serial & ring.mask].exchange(item, memory_order_acq_rel) == turn(ring)

cdef inline void take_out(TurnRing* ring) noexcept nogil:
    """With the turn: empty the slot of its item, so that another item of this serial number can be put into it."""
    ring.slots[ring.next.value.load(memory_order_relaxed) & ring.mask].store(NULL, memory_order_relaxed)

cdef inline void* advance(TurnRing* ring) noexcept nogil:
    """With the turn: its item is done. Returns the next one, or NULL if it has not come yet; the turn stays."""
    cdef int64_t n = ring.next.value.load(memory_order_relaxed)
    ring.slots[n & ring.mask].store(NULL, memory_order_relaxed)
    yield_point()
    ring.next.value.store(n + 1, memory_order_release)      # the slot is free: pairs with fits
    yield_point()
    return ring.slots[(n + 1) & ring.mask].load(memory_order_acquire)       # pairs with put

cdef inline bint leave(TurnRing* ring, void** item) noexcept nogil:
    """With the turn, at an empty slot: leave it there; or, False, get the ``item`` that has come meanwhile."""
    cdef int64_t n = ring.next.value.load(memory_order_relaxed)
    yield_point()
    item[0] = NULL
    # Release pairs with the exchange in put, acquire on failure likewise.
    return ring.slots[n & ring.mask].compare_exchange_strong(item[0], turn(ring), memory_order_acq_rel,
                                                             memory_order_acquire)
