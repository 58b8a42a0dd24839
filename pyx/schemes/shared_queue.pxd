"""The shared-queue partitioning scheme."""

from libc.stdint cimport int64_t
from streambench.pyx.queues.growing_queue cimport GrowingQueue
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.schemes.partitioned_worklist cimport Consumer, PartitionedWorklist

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
        bint try_lock() noexcept
        void unlock() noexcept

cdef class SharedQueue(PartitionedWorklist):
    cdef GrowingQueue* items            # both popped under the mutex only
    cdef GrowingQueue* partition_of     # of each item
    cdef PaddedCounter* busy            # per partition, 1 while a worker is in it; set under the mutex only
    cdef PaddedMutex* taking
    cdef void lock(self) noexcept nogil
    cdef bint try_take(self, int64_t* item, int64_t* partition) noexcept nogil
