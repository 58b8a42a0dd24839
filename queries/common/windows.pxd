"""Runs of rows that lie in one window."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from streambench.pyx.tuples.columns cimport Columns, integer_at
from streambench.pyx.tuples.layout cimport INT32, UINT32, type_of

ctypedef fused window_t:
    int64_t
    int32_t
    uint32_t

cdef inline int32_t first_at_least(const window_t* window, const uint32_t* selected, int32_t begin, int32_t end,
                                   int64_t bound) noexcept nogil:
    cdef int32_t low = begin + 1, high = end, middle
    if <int64_t>window[selected[end - 1] if selected is not NULL else end - 1] < bound:
        return end
    while low < high:
        middle = low + (high - low) // 2
        if <int64_t>window[selected[middle] if selected is not NULL else middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low

cdef inline int32_t first_row_at_least(Columns* rows, int32_t k, const uint32_t* selected, int32_t begin, int32_t end,
                                       int64_t bound) noexcept nogil:
    """The first row behind ``begin`` whose time, in column ``k``, is ``bound`` or later; ``end`` where there is none.

    Of rows ``selected[begin:end]``, or ``begin`` to ``end`` - 1 if that is NULL. Times never decrease, so the last row
    usually tells, and halving does otherwise. The column is int64, int32 or uint32.
    """
    cdef int32_t type = type_of(rows.layout, k)
    if type == INT32:
        return first_at_least(<const int32_t*>rows.column[k], selected, begin, end, bound)
    if type == UINT32:
        return first_at_least(<const uint32_t*>rows.column[k], selected, begin, end, bound)
    return first_at_least(<const int64_t*>rows.column[k], selected, begin, end, bound)

cdef inline int32_t end_of_window(Columns* rows, int32_t k, const uint32_t* selected, int32_t begin,
                                  int32_t end) noexcept nogil:
    """Where the window of row ``begin`` ends, column ``k``, among the same rows."""
    cdef int64_t window = integer_at(rows, k, selected[begin] if selected is not NULL else begin)
    return first_row_at_least(rows, k, selected, begin, end, window + 1)
