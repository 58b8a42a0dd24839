"""The order of several threads' matches: each publishes batch after batch, with matches or
without, and they are merged."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.tier cimport Match
from streambench.pyx.machine.padded cimport PaddedCounter

cdef enum:
    BATCHES_AHEAD = 64                  # that a thread may be in front of the merge: memory is bounded

cdef struct MatchRing:                  # of one thread
    vector[Match] batch[BATCHES_AHEAD]

cdef class MatchMerge:
    cdef int32_t threads
    cdef MatchRing* rings
    cdef PaddedCounter* published       # by thread: its batches before it are in its ring; it alone writes
    cdef PaddedCounter* merged          # batches before it have been taken out; who has the turn writes
    cdef PaddedCounter* turn            # 1: somebody is merging
    cdef int64_t* rows[2]               # by side: of the matches merged, in order; theirs whose the turn is
    cdef int64_t n
    cdef int64_t capacity
    cdef bint timed                     # note when batches leave:
    cdef vector[int64_t] left_ns        # by batch, by the clock; theirs whose the turn is
    cdef vector[size_t] at              # by thread, in the batch that is being merged
    cdef vector[Match]* room(self, int32_t thread, int64_t batch) noexcept nogil
    cdef void publish(self, int32_t thread, int64_t batch) noexcept nogil
    cdef bint merge(self, int64_t at_least) noexcept nogil
    cdef void merge_batch(self, int64_t batch) noexcept nogil
    cdef void put(self, const Match* match) noexcept nogil
    cdef int64_t ready(self) noexcept nogil
    cdef void make_room(self, int64_t matches) noexcept nogil
