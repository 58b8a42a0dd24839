"""Partitions of the items, and the blocks in which threads hand them over to each other.

Whoever holds a partition's lock counts what its lanes hold, for all: nobody waits for a thread that is not at work.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport atomic
from streambench.pyx.topk.counter_table cimport CounterTable
from streambench.pyx.machine.mutexes cimport Mutex

cdef extern from "lanes.h":
    cppclass Lane "streambench::Lane" nogil:    # from one thread to one partition
        # Blocks, ever; written by the thread. Released: who sees it sees the items.
        atomic[int64_t] handed
        int64_t filled                  # items in the block that is begun: both under the thread's lock
        uint64_t* begun
        uint64_t* items                 # BLOCKS blocks, in turn
        # Of those handed over; written under the partition's lock. Released: who sees it may write there again.
        atomic[int64_t] counted

    Lane* new_lanes "streambench::new_lanes"(int64_t n) except +
    void delete_lanes "streambench::delete_lanes"(Lane* lanes) noexcept nogil

cdef enum:
    BLOCKS = 4                          # of a lane

cdef struct HandOver:
    int32_t threads
    int32_t partitions
    int64_t block                       # items
    Mutex* locks                         # by partition: of its table, and of `counted` of its lanes
    CounterTable* tables                # by partition
    Lane* lanes                         # by thread and partition
    void* memory                        # of all blocks
    size_t bytes

cdef int open_hand_over(HandOver* all, int64_t counters, int32_t threads, int32_t level) except -1
cdef void close_hand_over(HandOver* all) noexcept nogil
cdef int64_t share_of(int64_t counters, int32_t partitions) noexcept nogil
cdef int32_t partition_of(const HandOver* all, uint64_t item) noexcept nogil
cdef void hand_items(HandOver* all, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil
cdef void hand_often(HandOver* all, uint64_t item, int64_t times) noexcept nogil
cdef void hand_rests(HandOver* all, int32_t thread) noexcept nogil
cdef void count_lanes(HandOver* all, int32_t partition) noexcept nogil
