"""Runs of rows that lie in one window."""

from libc.stdint cimport int32_t, int64_t, uint32_t

cdef inline int32_t end_of_window(const int64_t* window, const uint32_t* selected, int32_t begin, int32_t end) noexcept nogil:
    """Where the window of row ``begin`` ends among rows ``selected[begin:end]``, or ``begin`` to ``end`` - 1 if that is NULL.

    Windows never decrease, so the last row usually tells, and halving does otherwise.
    """
    cdef int64_t first = window[selected[begin] if selected is not NULL else begin]
    cdef int32_t low = begin + 1, high = end, middle
    if window[selected[end - 1] if selected is not NULL else end - 1] == first:
        return end
    while low < high:
        middle = low + (high - low) // 2
        if window[selected[middle] if selected is not NULL else middle] == first:
            low = middle + 1
        else:
            high = middle
    return low
