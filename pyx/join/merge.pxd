"""A reader's merge: which source has the earliest tuple, ties going to the lower source. A tournament, as a loser tree.

Each source has a key: the time of its next tuple or, where the reader has read all, a time before which nothing comes.
The sources are the leaves of a tree; every inner node keeps the loser of its match. Only the key of the first source
ever changes, and is played up one path: the same number of matches each time, and no branch guesses who wins.
"""

from libc.stdint cimport int32_t, int64_t

cdef struct Match:
    int64_t key                         # of the loser, and
    int32_t source                      # which it is; not as wide as the key: gcc would put the two into one vector

cdef struct Head:
    int64_t next                        # the source's tuple that the reader takes next
    int64_t limit                       # tuples before it have been added, as far as the reader knows
    const int64_t* times                # the source's ring
    const char* records
    int64_t size                        # bytes of a record

cdef struct Merge:
    int32_t leaves                      # sources, rounded up to a power of two
    Match first                         # who has won all its matches
    Match* match                        # inner nodes from 1; the children of i are 2 i and 2 i + 1
    Head* head                          # by source

cdef Merge* new_merge(int32_t sources) except NULL
cdef void delete_merge(Merge* merge) noexcept nogil

cdef inline void play(Merge* merge, int64_t* key, int32_t* source) noexcept nogil:
    """The first source has this key now: who is first?"""
    cdef int64_t own_key = key[0], loses, swapped_key
    cdef int32_t own = source[0], swapped, node = (own + merge.leaves) >> 1
    cdef Match* other
    while node > 0:
        other = &merge.match[node]
        loses = -<int64_t>((other.key < own_key) | ((other.key == own_key) & (other.source < own)))    # 0, or all ones
        swapped_key = (own_key ^ other.key) & loses
        swapped = (own ^ other.source) & <int32_t>loses
        own_key ^= swapped_key
        other.key ^= swapped_key
        own ^= swapped
        other.source ^= swapped
        node >>= 1
    key[0] = own_key
    source[0] = own
