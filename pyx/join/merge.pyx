"""A reader's merge: how it begins; what it does is in the ``.pxd``, to be inlined."""

from libc.stdint cimport INT64_MIN
from libc.stdlib cimport calloc, free


cdef Merge* new_merge(int32_t sources) except NULL:
    """The merge of so many sources of which nothing is known yet."""
    cdef Merge* merge = <Merge*>calloc(1, sizeof(Merge))
    cdef int32_t node, leaf
    if merge is NULL:
        raise MemoryError()
    merge.sources = sources
    merge.leaves = 1
    while merge.leaves < sources:
        merge.leaves *= 2
    merge.key = <int64_t*>calloc(merge.leaves, sizeof(int64_t))
    merge.head = <Head*>calloc(sources, sizeof(Head))
    merge.loser = <int32_t*>calloc(merge.leaves, sizeof(int32_t))
    if merge.key is NULL or merge.head is NULL or merge.loser is NULL:
        delete_merge(merge)
        raise MemoryError()
    for leaf in range(merge.leaves):
        merge.key[leaf] = INT64_MIN if leaf < sources else INT64_MAX
    # At first all keys are equal: each match is won by its left half's first leaf, and lost by its right half's.
    for node in range(1, merge.leaves):
        leaf = 2 * node + 1
        while leaf < merge.leaves:
            leaf *= 2
        merge.loser[node] = leaf - merge.leaves
    return merge


cdef void delete_merge(Merge* merge) noexcept nogil:
    if merge is not NULL:
        free(merge.key)
        free(merge.head)
        free(merge.loser)
    free(merge)
