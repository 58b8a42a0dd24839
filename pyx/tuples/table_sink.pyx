"""The sink of the benchmark: it digests the output sequence and, if asked to, keeps it."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector
from streambench.pyx.machine.memory cimport lengthen
from streambench.pyx.tuples.columns cimport Columns, digest_columns
from streambench.pyx.tuples.layout cimport MAX_COLUMNS, LayoutPointer, layout_of, size_of
from streambench.pyx.tuples.operator cimport Sink

import numpy as np

from streambench.pyx.tuples.stream_column import stream_column


def digest_rows(columns, str before="") -> str:
    """Return the digest that a sink would have that was given these rows: arrays of one length, by column.

    ``before``: the digest of the rows ahead of them, if there are any.
    """
    cdef Columns rows
    cdef int32_t k
    arrays = [stream_column(each, f"{place}") for place, each in enumerate(columns)]
    if len({len(each) for each in arrays}) != 1 or len(arrays) > MAX_COLUMNS:
        raise ValueError(f"rows have 1 to {MAX_COLUMNS} columns of one length")
    memset(&rows, 0, sizeof(rows))
    rows.n = <int32_t>len(arrays[0])
    rows.width = <int32_t>len(arrays)
    rows.layout = layout_of(tuple(each.dtype for each in arrays))
    for k, each in enumerate(arrays):
        rows.column[k] = <int64_t*><size_t>each.ctypes.data
    return f"{digest_columns(&rows, -1, <uint64_t>int(before or '0', 16)):016x}"


cdef class TableSink(Sink):
    """``keep``: hold the whole output sequence in memory, for ``rows``. It takes columns of any types."""

    cdef readonly bint keep
    cdef vector[vector[char]] kept      # by column
    cdef tuple given                    # schema
    cdef int64_t count
    cdef uint64_t sequence

    def __init__(self, bint keep=True):
        self.keep = keep

    def bind(self, given):
        """Take any columns; emit none."""
        self.given = tuple(given)
        self.schema = ()
        return self.schema

    def open(self, int32_t partitions=1):
        self.kept.clear()

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t k
        cdef int64_t size
        self.sequence = digest_columns(rows, -1, self.sequence)
        self.count += rows.n
        if self.keep and rows.n > 0:
            if self.kept.size() < <size_t>rows.width:
                lengthen(self.kept, rows.width)
            for k in range(rows.width):
                size = <int64_t>rows.n * size_of(rows.layout, k)
                lengthen(self.kept[k], self.kept[k].size() + size)
                memcpy(self.kept[k].data() + self.kept[k].size() - size, rows.column[k], size)
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
        """Return the output sequence, an array per column, of its type (only if kept). None arrived: no columns."""
        cdef size_t k
        cdef const char[::1] view
        found = []
        if not self.keep:
            raise ValueError("this sink was not asked to keep its rows")
        for k in range(self.kept.size()):
            type = self.given[k][1] if self.given else np.dtype("int64")
            bytes = np.empty(self.kept[k].size(), dtype=np.uint8)
            memcpy(<char*><size_t>bytes.ctypes.data, self.kept[k].data(), self.kept[k].size())
            found.append(bytes.view(type))
        return found
