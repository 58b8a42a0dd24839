"""Copies of rows, column by column, in memory that outlives the unit that they came in."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.tuples.layout cimport size_of

import numpy as np


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

    def save(self):
        """The bytes of each column, copied."""
        cdef int64_t[::1] sizes
        cdef char[::1] to
        cdef size_t k
        cdef int64_t at = 0
        lengths = np.empty(self.bytes.size(), np.int64)
        sizes = lengths
        for k in range(self.bytes.size()):
            sizes[k] = self.bytes[k].size()
        copies = np.empty(lengths.sum(), np.int8)
        to = copies
        for k in range(self.bytes.size()):
            if sizes[k]:
                memcpy(&to[at], self.bytes[k].data(), sizes[k])
                at += sizes[k]
        return {"lengths": lengths, "bytes": copies}

    def load(self, saved):
        """Hold what another has saved."""
        cdef const int64_t[::1] sizes = saved["lengths"]
        cdef const char[::1] copies = saved["bytes"]
        cdef int64_t k, at = 0
        self.bytes.resize(sizes.shape[0])
        for k in range(sizes.shape[0]):
            self.bytes[k].resize(sizes[k])
            if sizes[k]:
                memcpy(self.bytes[k].data(), &copies[at], sizes[k])
                at += sizes[k]

    def place(self, k: int) -> tuple:
        """The address of column ``k``, and its bytes; (0, 0) where no tuple arrived."""
        if k >= <int64_t>self.bytes.size():
            return 0, 0
        return <size_t>self.bytes[k].data(), self.bytes[k].size()
