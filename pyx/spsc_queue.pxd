"""Bounded single-producer single-consumer queue of pointers."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.padded cimport PaddedCounter

cdef struct SpscQueue:
    # The threads at either end may change, as long as each hands its end on with a release that the next one acquires.
    void** items
    int64_t mask
    PaddedCounter* at           # [0]: next position to push, [1]: next position to pop

cdef int init_spsc(SpscQueue* queue, int64_t capacity) except -1
cdef void clear_spsc(SpscQueue* queue) noexcept nogil

cdef inline bint spsc_push(SpscQueue* queue, void* item) noexcept nogil:
    """Append; False when the queue is full."""
    cdef int64_t head = queue.at[0].value.load(memory_order_relaxed)
    if head - queue.at[1].value.load(memory_order_acquire) > queue.mask:    # pairs with spsc_pop's release
        return False
    queue.items[head & queue.mask] = item
    queue.at[0].value.store(head + 1, memory_order_release)                 # publishes the item
    return True

cdef inline bint spsc_pop(SpscQueue* queue, void** item) noexcept nogil:
    """Take the oldest; False when the queue is empty."""
    cdef int64_t tail = queue.at[1].value.load(memory_order_relaxed)
    if tail == queue.at[0].value.load(memory_order_acquire):                # pairs with spsc_push's release
        return False
    item[0] = queue.items[tail & queue.mask]
    queue.at[1].value.store(tail + 1, memory_order_release)                 # hands the slot back
    return True
