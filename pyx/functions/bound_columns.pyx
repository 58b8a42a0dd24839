"""Which columns a function reads and writes: pointers to them for a compiled one, NumPy views of them for Python's."""

from cpython.buffer cimport PyBUF_READ, PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.string cimport memset

import numpy as np


cdef object view(void* data, int64_t n, object dtype, bint writable):
    """``n`` > 0 values at ``data`` as an array, which must not outlive them."""
    memory = PyMemoryView_FromMemory(<char*>data, n * <int64_t>dtype.itemsize, PyBUF_WRITE if writable else PyBUF_READ)
    return np.frombuffer(memory, dtype)


cdef class BoundColumns:
    """``read``: the columns that are read, by number, and ``read_types``; those written follow
    each other from ``first`` on."""

    def __init__(self, tuple read, tuple read_types, int32_t first, tuple written_types):
        cdef int32_t k
        if len(read) > MAX_COLUMNS or first + len(written_types) > MAX_COLUMNS:
            raise ValueError(f"at most {MAX_COLUMNS} columns are possible")
        self.read_types = read_types
        self.written_types = written_types
        self.reads = <int32_t>len(read)
        self.writes = <int32_t>len(written_types)
        self.first = first
        for k in range(self.reads):
            self.read[k] = read[k]
            self.read_size[k] = read_types[k].itemsize
        for k in range(self.writes):
            self.written_size[k] = written_types[k].itemsize

    cdef void inputs(self, Columns* rows, int64_t row, void** at) noexcept nogil:
        """Where the values that are read begin, those of ``row``."""
        cdef int32_t k
        for k in range(self.reads):
            at[k] = <char*>rows.column[self.read[k]] + row * self.read_size[k]

    cdef void outputs(self, Columns* out, int64_t row, void** at) noexcept nogil:
        cdef int32_t k
        for k in range(self.writes):
            at[k] = <char*>out.column[self.first + k] + row * self.written_size[k]

    cdef void clear_outputs(self, Columns* out, int64_t row, int64_t n) noexcept nogil:
        """Make ``n`` rows zero: what a function says it wrote and did not is never what was there before."""
        cdef int32_t k
        for k in range(self.writes):
            memset(<char*>out.column[self.first + k] + row * self.written_size[k], 0, n * self.written_size[k])

    cdef tuple input_views(self, Columns* rows, int64_t row, int64_t n):
        """Views of the values of ``n`` rows; nothing can be written through them, as they may
        be the source's own memory."""
        cdef void* at[MAX_COLUMNS]
        cdef int32_t k
        self.inputs(rows, row, at)
        return tuple([view(at[k], n, self.read_types[k], False) for k in range(self.reads)])

    cdef tuple output_views(self, Columns* out, int64_t row, int64_t n):
        cdef void* at[MAX_COLUMNS]
        cdef int32_t k
        self.outputs(out, row, at)
        return tuple([view(at[k], n, self.written_types[k], True) for k in range(self.writes)])
