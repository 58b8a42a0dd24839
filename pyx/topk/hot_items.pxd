"""The few items that make up most of a skewed stream: learned from a sample, counted in
registers, counted in for good later.

By order invariance (paper 002, lemma 4.1) it does not matter when an occurrence is counted.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "hot_items.h" nogil:
    enum:
        HOT "streambench::HOT"

    int64_t part_hot "streambench::part_hot"(int32_t level, const uint64_t* items, int64_t n, const uint64_t* hot,
                                             int64_t* counts, uint64_t* rest) noexcept

cdef enum:
    PIECE = 2048                        # items that are parted at a time, at most

cdef struct HotItems:
    int32_t level                       # of SIMD
    bint used                           # whether they are looked for
    uint64_t item[8]
    int64_t count[8]                    # occurrences that are not counted in yet
    int64_t unlearned                   # items since they were learned
    uint64_t rest[PIECE]

cdef void forget(HotItems* hot, int32_t level) noexcept nogil
cdef bint is_due(const HotItems* hot, int64_t n) noexcept nogil
cdef void learn(HotItems* hot, const uint64_t* items, int64_t n) noexcept nogil
cdef const uint64_t* set_aside(HotItems* hot, const uint64_t* items, int64_t* n) noexcept nogil
