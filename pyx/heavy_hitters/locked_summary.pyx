"""One lock around the sequential design, taken for each item: the design "locked", what others are compared with."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from streambench.pyx.heavy_hitters.stream_summary cimport StreamSummary
from streambench.pyx.heavy_hitters.summary cimport Snapshot, Summary

# libcpp's mutex may throw, which would make Cython take the GIL around it; none of these does if used as here.
cdef extern from *:
    """
    #include <mutex>
    namespace streambench {
    struct alignas(128) PaddedMutex { std::mutex value; };
    }
    """
    cppclass mutex "std::mutex" nogil:
        void lock() noexcept
        void unlock() noexcept

    cppclass PaddedMutex "streambench::PaddedMutex" nogil:
        PaddedMutex() except +
        mutex value


cdef class LockedSummary(Summary):
    """Space-Saving with ``counters`` counters that all threads share, one at a time."""

    cdef StreamSummary summary          # under the lock
    cdef PaddedMutex* mutex

    def __cinit__(self, *args, **kwargs):
        self.mutex = new PaddedMutex()

    def __dealloc__(self):
        del self.mutex

    def __init__(self, int64_t counters, int32_t threads=1):
        super().__init__(counters, threads)
        self.summary = StreamSummary(counters)

    cdef void update(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil:
        cdef int64_t k
        for k in range(n):
            self.mutex.value.lock()
            self.summary.count(items + k, 1)
            self.mutex.value.unlock()

    cdef void look(self, Snapshot* out) noexcept nogil:
        self.mutex.value.lock()
        self.summary.look(out)
        self.mutex.value.unlock()
