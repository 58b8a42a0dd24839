"""The few items that make up most of a skewed stream: see ``hot_items.pxd``."""

from libc.string cimport memset

cdef enum:
    SAMPLE = 1024                       # items of which the most frequent ones are learned
    LEAST_SAMPLE = 256
    SLOTS = 2048                        # for the sample's items; a power of two
    LEARN_EVERY = 1 << 19               # items
    # To look for them costs what it costs to count this part of the items in a table: they
    # are looked for from there on.
    PAYS_FROM = 3


cdef void forget(HotItems* hot, int32_t level) noexcept nogil:
    """None are known: they are learned at the next occasion."""
    hot.level, hot.used, hot.unlearned = level, False, LEARN_EVERY
    memset(hot.count, 0, sizeof(hot.count))


cdef bint is_due(const HotItems* hot, int64_t n) noexcept nogil:
    """Whether to learn them from the next n items: what is counted must have been counted in before."""
    return hot.unlearned >= LEARN_EVERY and n >= LEAST_SAMPLE


cdef void learn(HotItems* hot, const uint64_t* items, int64_t n) noexcept nogil:
    cdef uint64_t item[SLOTS]
    cdef int32_t count[SLOTS]
    cdef int32_t slot, k, best, all = 0
    cdef int64_t i
    n = min(n, <int64_t>SAMPLE)
    memset(count, 0, sizeof(count))
    for i in range(n):
        slot = <int32_t>(items[i] * <uint64_t>0x9E3779B97F4A7C15 >> 53)
        while count[slot] > 0 and item[slot] != items[i]:
            slot = (slot + 1) & (SLOTS - 1)
        item[slot] = items[i]
        count[slot] += 1
    for k in range(HOT):
        best = 0
        for slot in range(SLOTS):
            if count[slot] > count[best]:
                best = slot
        # Where there are fewer, any others do that differ from these.
        hot.item[k] = item[best] if count[best] > 0 else unlike(hot.item, k)
        all += count[best]
        count[best] = 0
    hot.unlearned = 0
    hot.used = hot.level > 0 and all * PAYS_FROM >= n


cdef uint64_t unlike(const uint64_t* items, int32_t n) noexcept nogil:
    """The least number that is none of the first n."""
    cdef uint64_t number = 0
    cdef int32_t k = 0
    while k < n:
        if items[k] == number:
            number += 1
            k = 0
        else:
            k += 1
    return number


cdef const uint64_t* set_aside(HotItems* hot, const uint64_t* items, int64_t* n) noexcept nogil:
    """Count the hot ones of the n items, at most PIECE; return the others, whose number becomes n."""
    cdef int64_t left
    hot.unlearned += n[0]
    if not hot.used:
        return items
    left = part_hot(hot.level, items, n[0], hot.item, hot.count, hot.rest)
    hot.used = (n[0] - left) * PAYS_FROM >= n[0] or n[0] < LEAST_SAMPLE
    n[0] = left
    return hot.rest
