"""Copies of rows, column by column, in memory that outlives the unit that they came in."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.tuples.layout cimport size_of


cdef class KeptColumns:
    """The memory of kept columns, which Arrow holds as long as it reads it."""

    cdef void append(self, Columns* rows, int32_t begin, int32_t n) noexcept nogil:
        """Copy the rows ``begin`` to ``begin + n - 1``."""
        cdef int32_t k
        cdef int64_t one, size
        if n <= 0:
            return
        if self.bytes.size() < <size_t>rows.width:
            lengthen(self.bytes, rows.width)
        for k in range(rows.width):
            one = size_of(rows.layout, k)
            size = n * one
            lengthen(self.bytes[k], self.bytes[k].size() + size)
            memcpy(self.bytes[k].data() + self.bytes[k].size() - size, <char*>rows.column[k] + begin * one, size)

    def place(self, k: int) -> tuple:
        """The address of column ``k``, and its bytes; (0, 0) where no tuple arrived."""
        if k >= <int64_t>self.bytes.size():
            return 0, 0
        return <size_t>self.bytes[k].data(), self.bytes[k].size()
