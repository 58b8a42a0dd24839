"""One lock around the sequential design, taken for each item: the design "locked", what others are compared with."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.topk.stream_summary cimport StreamSummary
from streambench.pyx.topk.summary cimport Snapshot, Summary
from streambench.pyx.machine.mutexes cimport Mutex, delete_mutexes, new_mutexes


cdef class LockedSummary(Summary):
    """Space-Saving with ``counters`` counters that all threads share, one at a time."""

    cdef StreamSummary summary          # under the lock
    cdef Mutex* mutex

    def __cinit__(self, *args, **kwargs):
        self.mutex = new_mutexes(1)

    def __dealloc__(self):
        delete_mutexes(self.mutex)

    def __init__(self, int64_t counters, int32_t threads=1):
        super().__init__(counters, threads)
        self.summary = StreamSummary(counters)

    @property
    def nbytes(self) -> int:
        return self.summary.nbytes + sizeof(Mutex)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t k
        for k in range(n):
            self.mutex.lock()
            self.summary.count(items + k, 1)
            self.mutex.unlock()

    cdef void look(self, Snapshot* out) noexcept nogil:
        self.mutex.lock()
        self.summary.look(out)
        self.mutex.unlock()
