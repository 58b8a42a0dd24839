"""The sink of the benchmark: it digests the output sequence and, if asked to, keeps it."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.columns cimport Columns, digest_columns
from streambench.pyx.operator cimport Sink

import numpy as np


cdef class TableSink(Sink):
    """``keep``: hold the whole output sequence in memory, for ``rows``. Column names come from the operator before it."""

    cdef readonly bint keep
    cdef vector[int64_t] kept           # row by row
    cdef int32_t width
    cdef int64_t count
    cdef uint64_t sequence

    def __init__(self, bint keep=True):
        self.keep = keep

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t k, i
        self.sequence = digest_columns(rows, -1, self.sequence)
        self.count += rows.n
        self.width = rows.width
        if self.keep:
            for i in range(rows.n):
                for k in range(rows.width):
                    self.kept.push_back(rows.column[k][i])
        return -1

    @property
    def digest(self) -> str:
        """Order-sensitive digest of the output sequence, 16 hexadecimal digits."""
        return f"{self.sequence:016x}"

    @property
    def tuples(self) -> int:
        """Length of the output sequence."""
        return self.count

    def rows(self):
        """Return the output sequence, an int64 array per column (only if kept)."""
        cdef int64_t[::1] view
        cdef Py_ssize_t i
        if not self.keep:
            raise ValueError("this sink was not asked to keep its rows")
        table = np.empty(self.kept.size(), dtype=np.int64)
        view = table
        for i in range(view.shape[0]):
            view[i] = self.kept[i]
        return list(table.reshape(-1, self.width).T) if self.width else []
