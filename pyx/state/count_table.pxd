"""A hash table of running counts by 64-bit key, see the module."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from *:
    ctypedef uint64_t uint128 "unsigned __int128"

cdef struct Slot:
    # Four to a cache line.
    uint64_t key
    int64_t count                       # above the table's `base`; else the slot is empty, whatever else it says

cdef struct Region:
    Slot* slots
    int32_t used                        # slots that are not empty
    int32_t most                        # with more it grows
    int32_t depth                       # upper bits of the hash that all its keys share

cdef struct CountTable:
    Region** directory                  # by the upper bits of the hash; neighbours may be the same region
    int32_t shift                       # takes a hash to its place in the directory
    uint64_t mask                       # slots of a region, less 1
    int64_t base                        # a key's count is its slot's less `base`
    int64_t highest                     # no slot's count is above it
    Slot* spare                         # empty slots for the next region, or NULL
    Slot* page                          # the huge page that the only region is in while it is middle-sized, else NULL
    Region* entries[2]                  # the directory while there is one region,
    Region only                         # which is this
    char apart[128]                     # two partitions' workers share no cache line

cdef void init_table(CountTable* table) noexcept nogil
cdef void clear_table(CountTable* table) noexcept nogil
cdef void forget_counts(CountTable* table) noexcept nogil
cdef void count_keys(CountTable* table, const uint64_t* keys, int32_t n, int64_t* counts) noexcept nogil
cdef void count_keys_among(CountTable* tables, int32_t n_tables, const uint32_t* table_of, const uint64_t* keys,
                           int32_t n, int64_t* counts) noexcept nogil
cdef void move_counts(CountTable* source, CountTable* tables, int32_t n_tables, int32_t shift) noexcept nogil
cdef void put_counts(CountTable* tables, int32_t n_tables, int32_t shift, const uint64_t* keys, const int64_t* counts,
                     int64_t n) noexcept nogil
cdef int64_t keys_held(CountTable* table) noexcept nogil
cdef int64_t copy_counts(CountTable* table, uint64_t* keys, int64_t* counts) noexcept nogil

cdef inline uint64_t hash_of(uint64_t key) noexcept nogil:
    """The upper bits choose the region, the lower ones the home slot in it."""
    cdef uint128 product = <uint128>key * <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t hash = <uint64_t>(product >> 64) ^ <uint64_t>product
    return hash ^ (hash >> 32)          # pairs with one second member differ in the upper half only
