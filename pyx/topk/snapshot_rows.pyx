"""Rows of items that came twice, and rows beyond the counters: a reader that does not stop the others finds such."""

from libcpp.algorithm cimport sort
from streambench.pyx.topk.summary cimport Counter


cdef bint by_item(const Counter& one, const Counter& other) noexcept nogil:
    return one.count > other.count if one.item == other.item else one.item < other.item


cdef bint by_count(const Counter& one, const Counter& other) noexcept nogil:
    return one.item < other.item if one.count == other.count else one.count > other.count


cdef void keep_largest(Snapshot* out, int64_t counters) noexcept nogil:
    """Keep an item's largest row, and so many items: what is left out is no higher than the
    floor, which rises with it."""
    cdef int64_t n = 0, k
    sort(out.counters.begin(), out.counters.end(), &by_item)
    for k in range(<int64_t>out.counters.size()):
        if n == 0 or out.counters[k].item != out.counters[n - 1].item:
            out.counters[n] = out.counters[k]
            n += 1
    out.counters.resize(n)
    if n > counters:
        sort(out.counters.begin(), out.counters.end(), &by_count)
        out.floor = max(out.floor, out.counters[counters].count)
        out.counters.resize(counters)
