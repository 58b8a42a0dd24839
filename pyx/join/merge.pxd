"""A reader's merge: which source has the earliest tuple, ties going to the lower source.

Each source has a key: the time of its next tuple or, where the reader has read all, a time before which nothing comes. Only
the key of the first source ever changes. Up to ``FEW`` sources are looked through; more are the leaves of a loser tree
(a tournament: every inner node keeps the loser of its match, so that a new key is played up one path).
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t

cdef enum:
    FEW = 8

cdef struct Head:
    int64_t next                        # the source's tuple that the reader takes next
    int64_t limit                       # tuples before it have been added, as far as the reader knows

cdef struct Merge:
    int32_t sources
    int32_t leaves                      # sources, rounded up to a power of two
    int32_t first                       # the source whose key comes first
    int64_t* key                        # by source; INT64_MAX: closed, and all read
    Head* head                          # by source
    int32_t* loser                      # inner nodes from 1; the children of i are 2 i and 2 i + 1

cdef Merge* new_merge(int32_t sources) except NULL
cdef void delete_merge(Merge* merge) noexcept nogil

cdef inline bint before(Merge* merge, int32_t one, int32_t other) noexcept nogil:
    return merge.key[one] < merge.key[other] or (merge.key[one] == merge.key[other] and one < other)

cdef inline void replay(Merge* merge) noexcept nogil:
    """The key of the first source has grown: find the first one again."""
    cdef int32_t winner, source, node, loser
    if merge.sources <= FEW:
        winner = 0
        for source in range(1, merge.sources):
            if merge.key[source] < merge.key[winner]:
                winner = source
    else:
        winner = merge.first
        node = (winner + merge.leaves) // 2
        while node > 0:
            loser = merge.loser[node]
            if before(merge, loser, winner):
                merge.loser[node] = winner
                winner = loser
            node //= 2
    merge.first = winner

cdef inline int64_t follows_until(Merge* merge) noexcept nogil:
    """Up to which time, included, the first source's tuples come before all others'; at least its key."""
    cdef int32_t source, first = merge.first, second = -1
    cdef int64_t until
    if merge.sources > FEW:
        return merge.key[first]
    until = INT64_MAX
    for source in range(merge.sources):
        if source != first and merge.key[source] < until:
            until = merge.key[source]
            second = source
    return until - 1 if 0 <= second < first else until
