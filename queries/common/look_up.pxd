"""A value by key, in the narrowest type."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from streambench.pyx.tuples.columns cimport Columns

cdef class LookUp:
    cdef readonly object values             # by key + 1: that of none, -1, comes first, and
                                            # those beyond the keys are -1
    cdef const void* table                  # their memory
    cdef uint64_t size
    cdef bint wide                          # int64, else int16
    cdef bint look_up(self, Columns* rows, int32_t k, void* to) noexcept nogil

cdef inline int64_t value_of(const int16_t* table, uint64_t size, int64_t key) noexcept nogil:
    """What ``look_up`` writes for a key, of a `LookUp` that is not wide; without a branch."""
    cdef uint64_t place = <uint64_t>(key + 1)
    return table[place if place < size else 0]
