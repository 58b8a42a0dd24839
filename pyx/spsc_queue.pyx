"""Bounded single-producer single-consumer queue.

The worklist of a stateful operator and of one partition of a hybrid queue: the worker that holds the upstream reorder
buffer's flag pushes, the worker that holds the operator or the partition pops (paper 000, section 5).
"""

from libc.stdlib cimport calloc, free
from streambench.pyx.padded cimport delete_counters, new_counters


cdef int init_spsc(SpscQueue* queue, int64_t capacity) except -1:
    cdef int64_t size = 2
    while size < capacity:
        size *= 2
    queue.mask = size - 1
    queue.items = <void**>calloc(size, sizeof(void*))
    if queue.items is NULL:
        raise MemoryError()
    queue.at = new_counters(2)
    return 0


cdef void clear_spsc(SpscQueue* queue) noexcept nogil:
    free(queue.items)
    if queue.at is not NULL:
        delete_counters(queue.at)
    queue.items = NULL
    queue.at = NULL


cdef class SpscRing:
    """A queue of integers on :c:struct:`SpscQueue`, for tests and for Python."""

    cdef SpscQueue queue

    def __cinit__(self, int64_t capacity):
        if capacity < 1:
            raise ValueError(f"a queue needs a capacity of at least 1, not {capacity}")
        init_spsc(&self.queue, capacity)

    def __dealloc__(self):
        clear_spsc(&self.queue)

    def push(self, int64_t item) -> bool:
        """Append an item; False when the queue is full."""
        return spsc_push(&self.queue, <void*>item)

    def pop(self):
        """Take the oldest item; None when the queue is empty."""
        cdef void* item = NULL
        return <int64_t>item if spsc_pop(&self.queue, &item) else None
