"""Neighbouring operators as one loop."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport LayoutPointer
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

cdef class Fused:
    cdef readonly tuple operators
    cdef bint in_place                      # all of them are
    cdef int32_t emitted_width              # and `layout`: of what the last one emits
    cdef LayoutPointer layout
    cdef bint process(self, Columns* rows, Columns* out, int64_t* given) noexcept nogil

cdef class Fusions:
    cdef list kept
    cdef void* at[MAX_OPERATORS]            # borrowed: the Fused that begins at a place, or NULL
    cdef int32_t end[MAX_OPERATORS]         # behind its last operator
    cdef int32_t apply(self, int32_t place, int32_t end, Unit* unit, int64_t* given) noexcept nogil

cdef inline bint begins(Fusions fusions, int32_t place, int32_t end) noexcept nogil:
    """Is there a Fused of the operators from ``place`` on, none of them at ``end`` or behind it?"""
    return fusions.at[place] is not NULL and fusions.end[place] <= end
