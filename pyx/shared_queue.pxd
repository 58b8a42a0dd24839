"""The shared-queue partitioning scheme."""

from libc.stdint cimport int64_t
from streambench.pyx.padded cimport PaddedCounter
from streambench.pyx.partitioned_worklist cimport Consumer, PartitionedWorklist

cdef extern from *:
    """
    #include <mutex>
    namespace streambench {
    // Apart from what the producer reads: every lock and unlock writes its cache line. Cython cannot align a struct.
    struct alignas(128) PaddedMutex : std::mutex {};
    }
    """
    # Never taken twice by one thread, so that it cannot fail and there is no exception to translate.
    cppclass PaddedMutex "streambench::PaddedMutex" nogil:
        PaddedMutex() except +
        void lock() noexcept
        void unlock() noexcept

cdef struct Waiting:
    void* item
    int64_t partition

cdef class SharedQueue(PartitionedWorklist):
    cdef Waiting* ring
    cdef int64_t mask
    cdef PaddedCounter* at              # [0]: next position to add; [1]: next to take, written under the mutex
    cdef PaddedCounter* busy            # per partition, 1 while a worker is in it; set under the mutex only
    cdef PaddedMutex* taking
    cdef bint try_take(self, Waiting* taken) noexcept nogil
