"""Q1's pairs, made where they are counted."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.partition.dealt cimport Dealt
from streambench.pyx.tuples.columns cimport Columns
from streambench.queries.common.pair_counts cimport PairCounts
from streambench.queries.common.top_pairs cimport Ranked, TopPairs
from streambench.queries.q1.operators cimport TicketPairs

cdef enum:
    BLOCK = 512                             # pairs that are counted at a time
    LOOK_EVERY = 16                         # rows: whether the run is stopped. A row may bring as many
                                            # pairs as its ticket has items

cdef cppclass Share:
    # What one partition's worker knows of the ticket at hand, and pairs that it has made and not counted.
    int64_t ticket                          # -1: there has been none
    int32_t highest                         # of its items
    vector[int32_t] items                   # all that differ, as they appeared
    vector[int32_t] own                     # those of them that are of this partition
    int64_t hour_begins
    int64_t hour
    int64_t made                            # pairs, of the present unit
    int32_t n
    uint64_t keys[BLOCK]
    int64_t counts[BLOCK]
    char apart[128]                         # two partitions' workers share no cache line

cdef class DealtPairs(Dealt):
    cdef TicketPairs pairs
    cdef PairCounts counted
    cdef TopPairs top
    cdef list parts                         # of `top`, by partition
    cdef vector[void*] part_at              # the same, borrowed
    cdef vector[Share] shares               # by partition
    cdef void begin_share(self, int32_t partition) noexcept nogil
    cdef void take_line(self, int32_t partition, Share* share, int64_t ts, int32_t item, uint32_t row,
                        Columns* out) noexcept nogil
    cdef void begin_window(self, int32_t partition, Share* share, uint32_t row, Columns* out) noexcept nogil
    cdef void pair_with(self, int32_t partition, Share* share, const int32_t* items, int32_t n,
                        int32_t item) noexcept nogil
    cdef void pair_any(self, int32_t partition, Share* share, int32_t item) noexcept nogil
    cdef void put(self, int32_t partition, Share* share, uint64_t key) noexcept nogil
    cdef void count(self, int32_t partition, Share* share) noexcept nogil
    cdef void emit_top(self, int64_t hour, const vector[Ranked]& ranked, Columns* out) noexcept nogil
