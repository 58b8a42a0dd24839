"""Base of the drivers: so many threads, each in the same method."""

from streambench.pyx.machine.threads cimport pause_briefly, thread, yield_core

cdef enum:
    MOST_THREADS = 64


cdef class Threads:

    cdef void each(self, int64_t me) noexcept nogil:
        pass

    cdef void meet(self, int64_t visit) noexcept nogil:
        """Wait until all threads have come here for the ``visit``-th time, counted from 1."""
        cdef int64_t spins = 0
        self.arrived.fetch_add(1)
        while self.arrived.load() < self.n * visit:
            spins += 1
            pause_briefly()
            if spins % 64 == 0:
                yield_core()

    def run(self, int64_t n):
        cdef thread* threads[MOST_THREADS]
        cdef int64_t k
        assert n <= MOST_THREADS
        self.n = n
        self.begun.store(0)
        self.arrived.store(0)
        for k in range(n):
            threads[k] = new thread(start, <void*>self)
        with nogil:
            for k in range(n):
                threads[k].join()
                del threads[k]


cdef void start(void* argument) noexcept nogil:
    (<Threads>argument).each((<Threads>argument).begun.fetch_add(1))
