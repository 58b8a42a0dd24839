"""See the declarations."""

from libc.stdint cimport int32_t
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.machine.ticket_lock cimport acquire, release

cdef enum:
    PIECE = 1024                        # items that are counted before a look may come in between


cdef class OneThreadSummary(Summary):
    """Raises ValueError for more threads than one, and what ``Summary`` raises."""

    def __cinit__(self, *args, **kwargs):
        self.lock.asked = new_counters(1)
        self.lock.served = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.lock.asked)
        delete_counters(self.lock.served)

    def __init__(self, int64_t counters, int32_t threads=1):
        super().__init__(counters, threads)
        if threads > 1:
            raise ValueError(f"this design is updated by 1 thread, not {threads}: choose another design")

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t at = 0
        while at < n:
            acquire(&self.lock)
            self.count(items + at, min(<int64_t>PIECE, n - at))
            release(&self.lock)
            at += PIECE

    cdef void count(self, const uint64_t* items, int64_t n) noexcept nogil:
        """For who is alone, or has the lock."""
        pass
