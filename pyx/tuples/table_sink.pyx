"""The sink of the benchmark: it digests the output sequence and, if asked to, keeps it."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset
from libcpp.vector cimport vector
from streambench.pyx.machine.memory cimport append
from streambench.pyx.tuples.columns cimport MAX_COLUMNS, Columns, digest_columns
from streambench.pyx.tuples.operator cimport Sink

import numpy as np


def digest_rows(columns, str before="") -> str:
    """Return the digest that a sink would have that was given these rows: int64 arrays of one length, by column.

    ``before``: the digest of the rows ahead of them, if there are any.
    """
    cdef Columns rows
    cdef const int64_t[::1] view
    cdef int32_t k = 0
    arrays = [np.ascontiguousarray(each, dtype=np.int64) for each in columns]
    if len({len(each) for each in arrays}) != 1 or len(arrays) > MAX_COLUMNS:
        raise ValueError(f"rows have 1 to {MAX_COLUMNS} columns of one length")
    memset(&rows, 0, sizeof(rows))
    rows.n = <int32_t>len(arrays[0])
    rows.width = <int32_t>len(arrays)
    for each in arrays:
        if rows.n:
            view = each
            rows.column[k] = <int64_t*>&view[0]
        k += 1
    return f"{digest_columns(&rows, -1, <uint64_t>int(before or '0', 16)):016x}"


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
                    append(self.kept, rows.column[k][i])
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
