"""A value by key: the items' categories, the pages' types, the ads' campaigns."""

from libc.stdint cimport int16_t, int64_t
from streambench.pyx.machine.prefetch cimport prefetch
from streambench.pyx.tuples.layout cimport INT16, INT32, type_of

import numpy as np

cdef enum:
    BLOCK = 256                         # rows whose keys are looked at together
    ROWS_AHEAD = 512                    # by which the keys are asked for, as they come from far away
    LINE = 16                           # rows
    LANES = 8                           # rows that are written out

ctypedef fused key_t:
    int64_t
    int32_t
    int16_t

ctypedef fused value_t:
    int64_t
    int16_t


cdef class LookUp:
    """``values``: by key, -1 for none. They become 16-bit integers where all fit, else
    64-bit ones: ``type`` is which."""

    def __init__(self, values):
        cdef size_t memory
        values = np.asarray(values, dtype=np.int64)
        self.wide = int(values.max(initial=-1)) > np.iinfo(np.int16).max
        self.size = 1 << int(len(values)).bit_length()
        self.values = np.full(self.size, -1, dtype=np.int64 if self.wide else np.int16)
        self.values[1 : len(values) + 1] = values
        memory = self.values.ctypes.data
        self.table = <const void*>memory

    @property
    def type(self):
        """The type of the values, by its name."""
        return self.values.dtype.name

    cdef bint look_up(self, Columns* rows, int32_t k, void* to) noexcept nogil:
        """Write the value of each key in column ``k``, -1 where there is none; False if that happened. ``to`` may be
        the keys' own memory, where keys and values are of one type."""
        cdef int32_t type = type_of(rows.layout, k)
        cdef void* keys = rows.column[k]
        if self.wide:
            if type == INT32:
                return find(<const int32_t*>keys, rows.n, <const int64_t*>self.table, self.size, <int64_t*>to)
            if type == INT16:
                return find(<const int16_t*>keys, rows.n, <const int64_t*>self.table, self.size, <int64_t*>to)
            return find(<const int64_t*>keys, rows.n, <const int64_t*>self.table, self.size, <int64_t*>to)
        if type == INT32:
            return find(<const int32_t*>keys, rows.n, <const int16_t*>self.table, self.size, <int16_t*>to)
        if type == INT16:
            return find(<const int16_t*>keys, rows.n, <const int16_t*>self.table, self.size, <int16_t*>to)
        return find(<const int64_t*>keys, rows.n, <const int16_t*>self.table, self.size, <int16_t*>to)


cdef inline bint find(const key_t* keys, int32_t n, const value_t* table, uint64_t size, value_t* to) noexcept nogil:
    """``size``: of the table, a power of two. So keys of which no bit reaches it need not be looked at one by one."""
    cdef int32_t i = 0, k, lane, end
    cdef value_t known = 0
    cdef key_t bits
    while i < n:
        end = min(i + BLOCK, n)
        k = i
        while k < end:
            prefetch(&keys[k + ROWS_AHEAD], 0)              # beyond the end it does no harm
            k += LINE
        bits = 0
        for k in range(i, end):
            bits |= keys[k] + 1
        k = i
        if <uint64_t><int64_t>bits < size:
            while k + LANES <= end:                         # compilers do not unroll it by themselves
                for lane in range(LANES):
                    to[k + lane] = table[keys[k + lane] + 1]
                k += LANES
        while k < end:                                      # of key -2 and below, too, the place is far beyond
            to[k] = table[keys[k] + 1] if <uint64_t>(keys[k] + 1) < size else -1
            k += 1
        for k in range(i, end):
            known |= to[k]
        i = end
    return known >= 0
