"""The lock-based reordering scheme (paper 000, section 3.1, figure 2): the baseline of the non-blocking one.

One global lock around everything, sending downstream included, as published. The waiting buffer is a ring. The lock is
the C++ library's, on Linux a futex: a worker that meets another one sleeps until the lock is free.
"""

from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.schemes.reorder_buffer cimport CONTENDED, REFUSED, WAITING, Downstream
from streambench.pyx.machine.simulated cimport REORDER, roused, slept, touch
from streambench.pyx.machine.yield_points cimport yield_point

cdef int64_t UNTIL_ROUSED = <int64_t>1 << 60       # ns


cdef class LockBasedReorderBuffer(ReorderBuffer):
    """Figure 2, with a waiting buffer of ``size`` slots."""

    def __cinit__(self, Downstream downstream, int64_t size):
        self.locked = new LockedCounter()
        self.slots = <void**>calloc(size, sizeof(void*))
        if self.slots is NULL:
            raise MemoryError()

    def __dealloc__(self):
        del self.locked
        free(self.slots)

    cdef bint send(self, int64_t serial, void* output) noexcept nogil:
        cdef int64_t n
        cdef bint mine, room
        cdef HeldLock held
        self.enter(&held)
        n = self.locked.next.load(memory_order_relaxed)
        mine = serial == n
        room = n <= serial <= n + self.mask
        if mine:
            while output is not NULL:
                yield_point()
                if not (<Downstream>self.downstream).send_downstream(output):
                    break               # the next piece waits for the lock
                n += 1
                self.locked.next.store(n, memory_order_release)     # pairs with sent, which takes no lock
                output = self.slots[n & self.mask]
                self.slots[n & self.mask] = NULL
        elif room:
            self.slots[serial & self.mask] = output
        self.leave(&held)
        if not room:
            self.count(REFUSED)
        elif not mine:
            self.count(WAITING)
        return room

    cdef void enter(self, HeldLock* held) noexcept nogil:
        """Take the lock. On the caller's stack is what gives it back, whatever happens until ``leave``."""
        touch(REORDER, self.locked)
        if not self.locked.lock.try_lock():
            self.count(CONTENDED)
            self.wait_for_lock()
        held.lock = &self.locked.lock

    cdef void leave(self, HeldLock* held) noexcept nogil:
        yield_point()
        touch(REORDER, self.locked)
        held.release()
        roused(self.locked, 1)

    cdef void wait_for_lock(self) noexcept nogil:
        while slept(self.locked, UNTIL_ROUSED):     # on a simulated machine, where the holder is in this very thread
            touch(REORDER, self.locked)
            if self.locked.lock.try_lock():
                return
        self.locked.lock.lock()

    cdef int64_t sent(self) noexcept nogil:
        return self.locked.next.load(memory_order_acquire)
