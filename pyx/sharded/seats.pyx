"""Seats: each worker has a core of its own, or all of them may run on any.

Whoever holds admission's lock may move the others, those too that wait for a core just now.
"""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed, memory_order_seq_cst
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
        cdef int64_t core = self.own[number].value.load(memory_order_relaxed)
        # seq_cst, here and in `bind`: either that finds this thread, or this one sees that it may move.
        self.threads[number].value.store(this_thread(), memory_order_seq_cst)
        if core >= 0 and self.moving.value.load(memory_order_seq_cst) != 0:
            seat(this_thread(), -1, self.allowed)
            if self.moving.value.load(memory_order_seq_cst) == 0:       # bound again meanwhile
                seat(this_thread(), <int>core, self.allowed)

    cdef void leave(self, int number) noexcept nogil:
        """It will not run for long: the system may give its number to another thread."""
        self.threads[number].value.store(0, memory_order_relaxed)

    cdef void bind(self, bint bound) noexcept nogil:
        """Give each worker its core, or all of them; under admission's lock."""
        cdef int64_t thread, core
        cdef int k
        self.bound = bound
        self.moving.value.store(not bound, memory_order_seq_cst)
        for k in range(self.workers):
            thread = self.threads[k].value.load(memory_order_seq_cst)
            core = self.own[k].value.load(memory_order_relaxed)
            if thread != 0 and core >= 0:
                seat(<int>thread, <int>core if bound else -1, self.allowed)
