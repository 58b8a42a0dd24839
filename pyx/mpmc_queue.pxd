"""Bounded multi-producer multi-consumer queue of 64-bit items (a pointer, or a partition's number)."""

from libc.stdint cimport int64_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.padded cimport PaddedCounter

cdef extern from *:
    """
    #include <atomic>
    #include <cstdint>
    namespace streambench {
    struct QueueCell {
        // Invariant: equal to the position of the push that may fill the cell next, or that plus 1 while it is full.
        std::atomic<int64_t> turn;
        int64_t item;
    };
    }
    """
    cppclass QueueCell "streambench::QueueCell" nogil:
        atomic[int64_t] turn
        int64_t item

cdef class MpmcQueue:
    cdef QueueCell* cells
    cdef int64_t mask
    cdef PaddedCounter* at          # [0]: next position to push, [1]: next position to pop

    cdef inline bint try_push(self, int64_t item) noexcept nogil:
        """False when the queue is full, or when the cell's last consumer has not yet left it."""
        cdef int64_t position = self.at[0].value.load(memory_order_relaxed)
        cdef int64_t turn
        cdef QueueCell* cell
        while True:
            cell = &self.cells[position & self.mask]
            turn = cell.turn.load(memory_order_acquire)         # pairs with try_pop's release
            if turn == position:
                if self.at[0].value.compare_exchange_weak(position, position + 1, memory_order_relaxed,
                                                          memory_order_relaxed):
                    cell.item = item
                    cell.turn.store(position + 1, memory_order_release)     # publishes the item
                    return True
            elif turn < position:
                return False
            else:
                position = self.at[0].value.load(memory_order_relaxed)

    cdef inline bint try_pop(self, int64_t* item) noexcept nogil:
        """False when the queue is empty, or when the oldest item's producer has not yet published it."""
        cdef int64_t position = self.at[1].value.load(memory_order_relaxed)
        cdef int64_t turn
        cdef QueueCell* cell
        while True:
            cell = &self.cells[position & self.mask]
            turn = cell.turn.load(memory_order_acquire)         # pairs with try_push's release
            if turn == position + 1:
                if self.at[1].value.compare_exchange_weak(position, position + 1, memory_order_relaxed,
                                                          memory_order_relaxed):
                    item[0] = cell.item
                    cell.turn.store(position + self.mask + 1, memory_order_release)     # hands the cell back
                    return True
            elif turn < position + 1:
                return False
            else:
                position = self.at[1].value.load(memory_order_relaxed)
