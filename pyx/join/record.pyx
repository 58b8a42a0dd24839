"""Records: how a gate holds tuples. A tuple stays in one place in memory, wherever its neighbours go.

A gate's readers take single tuples of many sources in turn: one record is one or two cache
lines, columns would be one each.
"""

from streambench.pyx.tuples.layout cimport layout_of

import numpy as np

from streambench.pyx.tuples.layout import type_named


cdef Record record_of(tuple types) except *:
    """The record of tuples whose columns have these types. Raises TypeError for one that no column can have."""
    cdef Record record
    cdef int32_t k
    types = tuple(type_named(each) for each in types)
    record.layout = layout_of(types)
    record.width = <int32_t>len(types)
    record.size = 0
    for k in range(record.width):
        record.offset[k] = record.size
        record.size += size_of(record.layout, k)
    return record


cdef void pack_rows(Record* record, Columns* rows, int64_t begin, int64_t n, char* to) noexcept nogil:
    """Write rows ``begin`` to ``begin`` + ``n`` - 1 as records, one behind the other."""
    cdef int32_t k, size, step = record.size
    cdef int64_t i
    cdef const char* source
    cdef char* place
    for k in range(record.width):
        size = size_of(record.layout, k)
        source = <const char*>rows.column[k] + begin * size
        place = to + record.offset[k]
        if size == 8:                   # a constant size makes one move of it
            for i in range(n):
                memcpy(place + i * step, source + 8 * i, 8)
        elif size == 4:
            for i in range(n):
                memcpy(place + i * step, source + 4 * i, 4)
        else:
            for i in range(n):
                memcpy(place + i * step, source + size * i, size)
