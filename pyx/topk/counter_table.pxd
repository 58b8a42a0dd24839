"""Space-Saving (paper 002, algorithm 2.1) in flat arrays: to increment is to add, and no
bucket of equal counts is linked.

An item and its count stand in a slot. The item's hash chooses a bucket of 16 cells; a cell holds a tag, which is 8
other bits of the hash, and the number of a slot. All tags together are small: who is not there is mostly turned down in
the nearest cache. What finds its bucket full goes to the stash, which is searched item by item.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from streambench.pyx.topk.summary cimport Snapshot

cdef extern from "tag_lines.h" nogil:
    enum:
        CELLS "streambench::CELLS"

    cppclass Tags "streambench::Tags":
        uint8_t tag[16]

    uint64_t hash_of_item "streambench::hash_of_item"(uint64_t item, uint64_t seed) noexcept
    uint32_t matching "streambench::matching"(const Tags* tags, uint8_t tag) noexcept
    int32_t first_bit "streambench::first_bit"(uint32_t bits) noexcept

cdef extern from "least_counts.h" nogil:
    enum:
        AT_ONCE "streambench::AT_ONCE"

    cppclass Monitored "streambench::Monitored":
        uint64_t item
        int64_t count

    cppclass Least "streambench::Least":
        int64_t count
        int64_t slots

    int32_t count_level "streambench::count_level"() noexcept
    Least scan_counts "streambench::scan_counts"(int32_t level, const Monitored* all, int64_t n, int64_t guess,
                                                 uint32_t* out) noexcept

cdef enum:
    BATCH = 1024                        # items of which hits come before misses
    AHEAD = 8                           # items whose lines are asked for before they are looked at

cdef struct CounterTable:
    int64_t counters                    # items at most,
    int64_t monitored                   # and now: in the first slots
    int64_t n                           # the sum of all counts
    int64_t least                       # no count is lower; 0 as long as nothing was evicted
    int64_t buckets
    int64_t stashed
    uint64_t seed
    int32_t level                       # of SIMD
    bint mostly_missing                 # most items of the last batch were not there
    Tags* tags                          # by bucket; 0: the cell is vacant
    uint32_t* slot_of                   # by cell
    Monitored* slots                    # a count of INT64_MAX: vacant
    int64_t* errors                     # by slot
    uint32_t* cell_of                   # by slot: the number of its cell, or IN_STASH + its place in the stash
    uint32_t* stash                     # slots
    uint32_t* spilled                   # by bucket: how many of its items are in the stash
    uint32_t* victims                   # slots that had the least count when it was last searched
    int64_t listed                      # so many
    int64_t next                        # the first of them that was not looked at since
    uint64_t missed[BATCH]
    uint64_t hashes[BATCH + AHEAD]      # of a batch's items; what follows them is only prefetched
    void* memory
    size_t bytes

cdef int open_table(CounterTable* table, int64_t counters, uint64_t seed, int32_t level) except -1
cdef void close_table(CounterTable* table) noexcept nogil
cdef void count_items(CounterTable* table, const uint64_t* items, int64_t n) noexcept nogil
cdef void count_item(CounterTable* table, uint64_t item, int64_t times) noexcept nogil
cdef void append_counters(const CounterTable* table, Snapshot* out, int64_t* at) noexcept nogil
