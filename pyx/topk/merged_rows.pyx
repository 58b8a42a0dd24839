"""The merge of two summaries' rows."""

from libcpp.algorithm cimport nth_element, sort
from streambench.pyx.machine.memory cimport lengthen


cdef bint by_item(const Counter& one, const Counter& other) noexcept nogil:
    return one.item < other.item


cdef bint by_count(const Counter& one, const Counter& other) noexcept nogil:
    return one.item < other.item if one.count == other.count else one.count > other.count


cdef void merge_parts(Part* into, Part* other, int64_t counters) noexcept nogil:
    """Add ``other`` to ``into``, of which the ``counters`` rows with the highest counts stay.
    ``other`` is left in no order.

    What has no row on one side occurred there as often as its floor says, at most: that is added to count and error.
    """
    cdef int64_t a = 0, b = 0, at = 0, n = into.rows.size(), m = other.rows.size()
    cdef vector[Counter] rows
    cdef Counter row
    sort(into.rows.begin(), into.rows.end(), &by_item)
    sort(other.rows.begin(), other.rows.end(), &by_item)
    lengthen(rows, n + m)
    while a < n or b < m:
        if b == m or (a < n and into.rows[a].item < other.rows[b].item):
            row = into.rows[a]
            row.count += other.floor
            row.error += other.floor
            a += 1
        elif a == n or other.rows[b].item < into.rows[a].item:
            row = other.rows[b]
            row.count += into.floor
            row.error += into.floor
            b += 1
        else:
            row = into.rows[a]
            row.count += other.rows[b].count
            row.error += other.rows[b].error
            a += 1
            b += 1
        rows[at] = row
        at += 1
    rows.resize(at)
    into.floor += other.floor
    if <int64_t>rows.size() > counters:
        nth_element(rows.begin(), rows.begin() + counters, rows.end(), &by_count)
        into.floor = max(into.floor, rows[counters].count)
        rows.resize(counters)
    into.rows.swap(rows)
