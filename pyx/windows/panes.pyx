"""The panes of a key's overlapping windows, which all share them, and what those of a window are together.

A pane is what the tuples between two bounds of windows are, so a tuple is taken in once, however many windows it is in.
Aggregates need not be undone: the panes are a queue by two stacks, in one array. Tangwongsan, Hirzel and Schneider,
"In-order sliding-window aggregation in worst-case constant time" (VLDB Journal 2021), call it Two-Stacks Lite: a pane
is merged three times at most. Panes as pairs of windows' bounds are of Krishnamurthy, Wu and Franklin, "On-the-fly
sharing for streamed aggregation" (SIGMOD 2006).
"""

from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.windows.cells cimport free_values, merge
from streambench.pyx.windows.sketches cimport gather_cell


cdef inline int64_t* pane_at(const Panes* panes, const Definition* definition, int32_t k) noexcept nogil:
    return panes.panes + <int64_t>k * (1 + definition.cell_words)


cdef Panes* new_panes(const Definition* definition) noexcept nogil:
    cdef Panes* panes = <Panes*>enlarge(NULL, sizeof(Panes))
    memset(panes, 0, sizeof(Panes))
    panes.together = <int64_t*>enlarge(NULL, 2 * definition.cell_words * sizeof(int64_t))
    panes.whole = panes.together + definition.cell_words
    return panes


cdef void delete_panes(Panes* panes, const Definition* definition) noexcept nogil:
    cdef int32_t k
    if panes is NULL:
        return
    for k in range(panes.first, panes.end):
        free_values(definition, pane_at(panes, definition, k) + 1)
    free(panes.panes)
    free(panes.together)
    free(panes)


cdef void push_pane(Panes* panes, const Definition* definition, int64_t begin, const int64_t* cells) noexcept nogil:
    """Append a pane, whose kept values are the queue's from now on."""
    cdef int64_t pane_size = (1 + definition.cell_words) * sizeof(int64_t)
    if panes.end == panes.allotted:
        if panes.first > panes.allotted // 2:
            memmove(panes.panes, pane_at(panes, definition, panes.first), (panes.end - panes.first) * pane_size)
            panes.middle -= panes.first
            panes.end -= panes.first
            panes.first = 0
        else:
            panes.allotted = max(4, 2 * panes.allotted)
            panes.panes = <int64_t*>enlarge(panes.panes, panes.allotted * pane_size)
    pane_at(panes, definition, panes.end)[0] = begin
    memcpy(pane_at(panes, definition, panes.end) + 1, cells, definition.cell_words * sizeof(int64_t))
    if panes.middle == panes.end:
        memcpy(panes.together, cells, definition.cell_words * sizeof(int64_t))
    else:
        merge(definition, panes.together, cells)
    panes.end += 1


cdef void drop_panes(Panes* panes, const Definition* definition, int64_t before) noexcept nogil:
    """Forget those that begin before this time."""
    cdef int32_t k
    while panes.first < panes.end and pane_at(panes, definition, panes.first)[0] < before:
        if panes.first == panes.middle:
            for k in range(panes.end - 2, panes.first - 1, -1):
                merge(definition, pane_at(panes, definition, k) + 1, pane_at(panes, definition, k + 1) + 1)
            panes.middle = panes.end
        free_values(definition, pane_at(panes, definition, panes.first) + 1)
        panes.first += 1


cdef const int64_t* all_panes(Panes* panes, const Definition* definition) noexcept nogil:
    """What all are together, of which there are some; good until one comes or goes."""
    if panes.first == panes.middle:
        return panes.together
    if panes.middle == panes.end:
        return pane_at(panes, definition, panes.first) + 1
    memcpy(panes.whole, pane_at(panes, definition, panes.first) + 1, definition.cell_words * sizeof(int64_t))
    merge(definition, panes.whole, panes.together)
    return panes.whole


cdef void gather_panes(const Panes* panes, const Definition* definition, const Aggregate* aggregate,
                       Gathered& into) noexcept nogil:
    """Append what an aggregate of all values keeps in all of them."""
    cdef int32_t pane
    for pane in range(panes.first, panes.end):
        gather_cell(aggregate, pane_at(panes, definition, pane) + 1 + aggregate.at, into)
