"""The design "fast"."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.atomic cimport atomic
from streambench.pyx.topk.hand_over cimport HandOver
from streambench.pyx.topk.hot_items cimport HotItems
from streambench.pyx.topk.summary cimport Snapshot, Summary
from streambench.pyx.machine.mutexes cimport Mutex
from streambench.pyx.machine.padded cimport PaddedCounter

cdef class FastSummary(Summary):
    cdef HandOver all
    cdef Mutex* locks                    # by thread: of its hot items, and of the blocks that it has begun
    cdef HotItems* hot                  # by thread
    cdef PaddedCounter* held            # by thread: items that its updates have left there, as of the last one's return
    cdef PaddedCounter* looks           # under way: updates leave gaps for them
    cdef void count(self, int32_t thread, const uint64_t* items, int64_t n) noexcept nogil
    cdef void count_hot(self, int32_t thread) noexcept nogil
    cdef int64_t held_by(self, int32_t thread) noexcept nogil
