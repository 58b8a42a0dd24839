"""Cells of a term's codes: where an index looks."""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint64_t
from streambench.pyx.join.definition cimport Definition

cdef enum:
    LOOKUPS = 4096

cdef class Cells:
    cdef readonly int32_t n             # a power of two where codes are hashes
    cdef readonly double heaviest       # the share of values that the fullest cell has, as far as a sample tells
    cdef bint hashed
    cdef int64_t[::1] begins            # by cell: its lowest code
    cdef int64_t* begin
    cdef int64_t least                  # the lowest code of cell 1
    cdef int32_t shift
    cdef int32_t lookup[LOOKUPS + 1]    # the cell of code `least` + (i << shift)

    cdef inline int32_t cell_of(self, int64_t code) noexcept nogil:
        cdef int32_t low, high, middle
        cdef uint64_t place
        if self.hashed:
            return <int32_t>((<uint64_t>code >> 32) & <uint64_t>(self.n - 1))
        if self.n == 1 or code < self.least:
            return 0
        place = min((<uint64_t>code - <uint64_t>self.least) >> self.shift, <uint64_t>(LOOKUPS - 1))
        low, high = self.lookup[place], self.lookup[place + 1]
        while low < high:
            middle = (low + high + 1) >> 1
            if self.begin[middle] <= code:
                low = middle
            else:
                high = middle - 1
        return low

    cdef inline int32_t last_cell(self, int32_t cell, int64_t low, uint64_t reach) noexcept nogil:
        """The cell of code ``low`` + ``reach``, where ``cell`` is that of ``low``."""
        cdef int64_t high = (<int64_t>(<uint64_t>low + reach) if reach <= <uint64_t>INT64_MAX - <uint64_t>low
                             else INT64_MAX)
        while not self.hashed and cell < self.n - 1 and self.begin[cell + 1] <= high:
            cell += 1
        return cell
