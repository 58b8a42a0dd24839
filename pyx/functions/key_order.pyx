"""In what order functions are called for keys: of the key, column by column, or of a time first."""

cimport cython
from libc.stdint cimport int32_t

import numpy as np


@cython.final
cdef class KeyOrder:
    """States in order, with the ``columns`` of their keys and with ``times`` or None."""

    def __init__(self, list columns, states, times):
        cdef int32_t k
        self.kept = (columns, states, times)
        self.n = len(states)
        self.states = <int64_t*><size_t>states.ctypes.data
        self.times = <int64_t*><size_t>(0 if times is None else times.ctypes.data)
        for k in range(<int32_t>len(columns)):
            self.column[k] = <void*><size_t>columns[k].ctypes.data


cdef list ranks(column):
    """What puts values in ascending order, the least important first: NaN behind all, equal floats by their bits."""
    if column.dtype.kind == "f":
        return [column.view(f"i{column.dtype.itemsize}"), column]
    return [column.view(f"S{column.dtype.itemsize}") if column.dtype.kind == "V" else column]


cdef KeyOrder ordered(list columns, states, times):
    """States in ascending order of the key, whose columns these are; of the time first where there are ``times``."""
    first = [] if times is None else [times]
    order = np.lexsort([*[rank for column in reversed(columns) for rank in ranks(column)], *first])
    return KeyOrder([column[order] for column in columns], states[order], None if times is None else times[order])
