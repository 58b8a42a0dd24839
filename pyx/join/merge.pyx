"""A reader's merge: how it begins; what it does is in the ``.pxd``, to be inlined."""

from libc.stdint cimport INT64_MAX, INT64_MIN
from libc.stdlib cimport calloc, free


cdef Merge* new_merge(int32_t sources) except NULL:
    """The merge of so many sources of which nothing is known yet."""
    cdef Merge* merge = <Merge*>calloc(1, sizeof(Merge))
    cdef int32_t node, leaf
    if merge is NULL:
        raise MemoryError()
    merge.leaves = 1
    while merge.leaves < sources:
        merge.leaves *= 2
    merge.match = <Match*>calloc(merge.leaves, sizeof(Match))
    merge.head = <Head*>calloc(sources, sizeof(Head))
    if merge.match is NULL or merge.head is NULL:
        delete_merge(merge)
        raise MemoryError()
    # At first all keys are equal: each match is won by its left half's first leaf, and lost by its right half's.
    for node in range(1, merge.leaves):
        leaf = 2 * node + 1
        while leaf < merge.leaves:
            leaf *= 2
        merge.match[node].source = leaf - merge.leaves
        merge.match[node].key = INT64_MIN if leaf - merge.leaves < sources else INT64_MAX
    merge.first.key = INT64_MIN
    return merge


cdef void delete_merge(Merge* merge) noexcept nogil:
    if merge is not NULL:
        free(merge.match)
        free(merge.head)
    free(merge)
