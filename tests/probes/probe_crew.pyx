"""A crew that works for no sink: a join, or another runtime, uses one so."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport atomic, memory_order_seq_cst
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.idle cimport Idle, busy, rest, resume
from streambench.pyx.machine.parking cimport SLEEPERS, wake_all, wake_one

cdef extern from *:
    """
    #include <new>
    static void demand() { throw std::bad_alloc(); }
    """
    void demand() noexcept nogil


cdef class Counters(Crew):
    """Workers that share out ``tasks`` and count them; the first ``given``, the others as the watch gives them.

    ``last``: return when so many have been done, -1 for never. ``starve_at``: the worker that
    gets this task finds no memory.
    """
    cdef atomic[int64_t] given, taken, done
    cdef int64_t last, starve_at

    def __init__(self, int workers, tuple cores=(), int64_t given=0, int64_t last=-1, int64_t starve_at=-1):
        Crew.__init__(self, workers, cores)
        self.given.store(given)
        self.last, self.starve_at = last, starve_at

    cdef int64_t progress(self) noexcept nogil:
        return self.done.load()

    def give(self, int64_t tasks):
        self.given.fetch_add(tasks)
        for _ in range(tasks):
            wake_one(self.parking)

    @property
    def counted(self):
        return self.done.load()

    @property
    def sleepers(self):
        return self.parking.state.load() & SLEEPERS

    cdef bint take(self) noexcept nogil:
        cdef int64_t task = self.taken.load()
        while task < self.given.load(memory_order_seq_cst):
            if self.taken.compare_exchange_weak(task, task + 1):
                if task == self.starve_at:
                    demand()
                self.done.fetch_add(1)
                return True
        return False

    cdef void work(self, int number) noexcept nogil:
        cdef Idle idle = busy(self.parking)
        while self.stopped.value.load(memory_order_seq_cst) == 0 and self.done.load() != self.last:
            if self.take():
                resume(&idle)
            else:
                rest(&idle, 0)
        wake_all(self.parking)
