"""Bounded multi-producer multi-consumer queue: a ring of cells, each with the number of the push or pop that owns it.

The shared worklist of a stateless operator and the master queue of a hybrid queue (paper 000, sections 4.3 and 5).
Linearisable; a push or a pop that finds another thread in the middle of its cell answers "full" or "empty".
"""

from libc.stdlib cimport calloc, free
from streambench.pyx.padded cimport delete_counters, new_counters


cdef class MpmcQueue:
    """Holds up to ``capacity`` (rounded up to a power of two, at least 2) 64-bit integers."""

    def __cinit__(self, int64_t capacity):
        cdef int64_t size = 2, i
        if capacity < 1:
            raise ValueError(f"a queue needs a capacity of at least 1, not {capacity}")
        while size < capacity:
            size *= 2
        self.mask = size - 1
        self.cells = <QueueCell*>calloc(size, sizeof(QueueCell))
        if self.cells is NULL:
            raise MemoryError()
        for i in range(size):
            self.cells[i].turn.store(i)
        self.at = new_counters(2)

    def __dealloc__(self):
        free(self.cells)
        delete_counters(self.at)

    @property
    def capacity(self) -> int:
        """How many items fit."""
        return self.mask + 1

    def push(self, int64_t item) -> bool:
        """Append an item; False when the queue is full."""
        return self.try_push(item)

    def pop(self):
        """Take the oldest item; None when the queue is empty."""
        cdef int64_t item
        return item if self.try_pop(&item) else None
