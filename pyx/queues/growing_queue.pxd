"""Bounded queue of 64-bit items with one producer at a time, whose ring starts small and grows while it is full."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport (
    atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from streambench.pyx.machine.yield_points cimport yield_point

cdef extern from "growing_queue.h":
    cppclass GrowingQueue "streambench::GrowingQueue" nogil:
        atomic[int64_t] head
        int64_t room_until
        atomic[int64_t]* items
        int64_t mask
        int64_t most
        atomic[int64_t] tail
        atomic[int64_t] known_head
        atomic[int64_t] ring
        atomic[int64_t] claims

    atomic[int64_t]* ring_items "streambench::ring_items"(int64_t ring) noexcept nogil
    int64_t ring_length "streambench::ring_length"(int64_t ring) noexcept nogil

cdef GrowingQueue* new_queues(int64_t n, int64_t capacity) except NULL
cdef void delete_queues(GrowingQueue* queues, int64_t n) noexcept nogil
cdef bint make_room(GrowingQueue* queue, int64_t head) noexcept nogil

cdef inline atomic[int64_t]* slot(int64_t ring, int64_t position) noexcept nogil:
    return ring_items(ring) + (position & (ring_length(ring) - 1))

cdef inline bint push(GrowingQueue* queue, int64_t item) noexcept nogil:
    """Append; False when the queue is full."""
    cdef int64_t head = queue.head.load(memory_order_relaxed)
    if head >= queue.room_until and not make_room(queue, head):
        return False
    queue.items[head & queue.mask].store(item, memory_order_relaxed)
    queue.head.store(head + 1, memory_order_release)            # publishes the item
    return True

cdef inline bint seems_empty(GrowingQueue* queue) noexcept nogil:
    """For whoever does not hold the consumers' end: a hint."""
    return queue.head.load(memory_order_relaxed) <= queue.tail.load(memory_order_relaxed)

cdef inline bint reaches(GrowingQueue* queue, int64_t tail) noexcept nogil:
    """Has the item at the consumers' position ``tail`` been pushed? Looks at the producers' line only if it must."""
    cdef int64_t head
    if tail < queue.known_head.load(memory_order_acquire):      # pairs with the release below
        return True
    head = queue.head.load(memory_order_acquire)                # pairs with push's release
    if tail >= head:
        return False
    queue.known_head.store(head, memory_order_release)
    return True

cdef inline int64_t peek(GrowingQueue* queue) noexcept nogil:
    """The oldest item: for a worker that has the consumers' end to itself and knows that there is one."""
    # Acquire pairs with make_room's release: a longer ring holds all that the shorter one did.
    return slot(queue.ring.load(memory_order_acquire), queue.tail.load(memory_order_relaxed)).load(memory_order_relaxed)

cdef inline int64_t take(GrowingQueue* queue) noexcept nogil:
    """As ``peek``, and the item is gone."""
    cdef int64_t item = peek(queue)
    yield_point()
    # Hands the slot back: pairs with make_room.
    queue.tail.store(queue.tail.load(memory_order_relaxed) + 1, memory_order_release)
    return item

cdef inline bint holds_item(GrowingQueue* queue) noexcept nogil:
    """For a worker that has the consumers' end to itself: is there an item to take?"""
    return reaches(queue, queue.tail.load(memory_order_relaxed))

cdef inline bint pop_alone(GrowingQueue* queue, int64_t* item) noexcept nogil:
    """Take the oldest item, False when there is none: for one worker at a time."""
    if not holds_item(queue):
        return False
    item[0] = take(queue)
    return True

cdef inline bint pop_shared(GrowingQueue* queue, int64_t* item) noexcept nogil:
    """Take the oldest item, False when there is none: for any number of workers at a time."""
    cdef int64_t tail = queue.tail.load(memory_order_acquire)
    while reaches(queue, tail):
        # Read before the slot is claimed: what comes too late may be a later item, or an old ring's, and is not used.
        item[0] = slot(queue.ring.load(memory_order_acquire), tail).load(memory_order_relaxed)
        yield_point()
        # Release: the item has been read, so the slot may be filled again; pairs with make_room. Acquire: reaches must
        # not see an older end of the queue than whoever moved the tail on.
        if queue.tail.compare_exchange_weak(tail, tail + 1, memory_order_acq_rel, memory_order_acquire):
            return True
    return False
