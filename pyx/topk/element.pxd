"""An element: an item's place in the search structure and in the Stream Summary (paper 002,
section 4.3), in one cache line.

Its word `pending` is owner, queue and mark of deletion at once: 32 bits of a version, one that says "deleted", and 31
that count the requests. As they are one word, no request is ever added to an element that is being deleted, and one who
found the element under an item that has been replaced fails, for the version is another.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from streambench.pyx.topk.frequency_bucket cimport Bucket
from streambench.pyx.machine.yield_points cimport yield_point

cdef enum:
    DELETED = 0x80000000
    REQUESTS = 0x7FFFFFFF

cdef extern from "element.h":
    cppclass Element "streambench::Element" nogil:
        atomic[uint64_t] item           # changes only while it is deleted
        atomic[uint64_t] pending
        atomic[int64_t] count           # 0: not monitored yet. The owner has put its increments in
                                        # before it asks a bucket for
        atomic[int64_t] error
        Bucket* bucket                  # that lists it, NULL while it is on its way; which is
                                        # then no bucket that could be emptied
        uint32_t increment              # of one that is on its way into the monitored set
        uint32_t previous               # in the bucket's list
        uint32_t next
        uint32_t link                   # in a queue: an element has one request at most (4.3.4), so it is the request
        atomic[uint32_t] chain          # the next one in the search structure
        atomic[uint32_t] depth          # of the queue when it came in

cdef inline bint own(Element* element, uint64_t* seen, bint* delegated) noexcept nogil:
    """Ask for the element, seen with this word: own it (Invariant 4.6: the increment gives 1), or
    leave the request to its owner.

    False where it has been deleted since.
    """
    cdef uint64_t version = seen[0] >> 32
    while seen[0] & REQUESTS < REQUESTS and not seen[0] & DELETED and seen[0] >> 32 == version:
        yield_point()
        # Acquire: what the last owner did (pairs with `relinquish`). Release: the increment is nobody else's any more.
        if element.pending.compare_exchange_weak(seen[0], seen[0] + 1, memory_order_acq_rel, memory_order_acquire):
            delegated[0] = (seen[0] & REQUESTS) != 0
            return True
    return False

cdef inline int64_t relinquish(Element* element) noexcept nogil:
    """For its owner: give it up (0), or keep it and take the requests left meanwhile (section 4.3.1, Invariant 4.1)."""
    cdef uint64_t free = element.pending.load(memory_order_relaxed) >> 32 << 32, expected = free | 1
    yield_point()
    if element.pending.compare_exchange_strong(expected, free, memory_order_acq_rel, memory_order_relaxed):
        return 0
    return <int64_t>(element.pending.exchange(free | 1, memory_order_acq_rel) & REQUESTS) - 1

cdef inline bint delete_idle(Element* element) noexcept nogil:
    """Delete it, unless somebody owns it; then False. Nobody waits (Minimal Existence)."""
    cdef uint64_t word = element.pending.load(memory_order_relaxed)
    if word & (REQUESTS | DELETED):
        return False
    yield_point()
    return element.pending.compare_exchange_strong(word, word | DELETED, memory_order_acq_rel, memory_order_relaxed)
