"""Seats: each worker has a core of its own, or all of them may run on any.

Whoever holds admission's lock may move the others, those too that wait for a core just now.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.machine.padded cimport delete_counters, new_counters


cdef class Seats:
    """Of ``workers`` that were pinned to ``cores`` as they started; without cores they stay where the system puts them."""

    def __cinit__(self, int workers, tuple cores):
        cdef int k
        self.workers = workers
        self.cores = cores
        self.bound = True
        self.threads = new_counters(workers)
        self.own = new_counters(workers)
        self.moving = new_counters(1)
        for k in range(workers):
            self.own[k].value.store(cores[k % len(cores)] if cores else -1)

    def __dealloc__(self):
        delete_counters(self.threads)
        delete_counters(self.own)
        delete_counters(self.moving)

    def begin(self):
        """As a run begins, in a thread that is not pinned: all cores are those that it may run on."""
        self.allowed = allowed_cores()
        self.bound = True
        self.moving.value.store(0, memory_order_relaxed)

    cdef void sit(self, int number) noexcept nogil:
        """The calling thread is this worker."""
        self.threads[number].value.store(this_thread(), memory_order_release)

    cdef void leave(self, int number) noexcept nogil:
        """It will not run for long: the system may give its number to another thread."""
        self.threads[number].value.store(0, memory_order_relaxed)

    cdef void bind(self, bint bound) noexcept nogil:
        """Give each worker its core, or all of them; under admission's lock."""
        cdef int64_t thread, core
        cdef int k
        self.bound = bound
        self.moving.value.store(not bound, memory_order_relaxed)
        for k in range(self.workers):
            thread = self.threads[k].value.load(memory_order_acquire)
            core = self.own[k].value.load(memory_order_relaxed)
            if thread != 0 and core >= 0:
                seat(<int>thread, <int>core if bound else -1, self.allowed)
