"""Neighbouring operators as one loop."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
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
    cdef vector[void*] at                   # borrowed, in the order in which they are kept
    cdef vector[int32_t] end                # behind its last operator
    cdef vector[int32_t] shorter            # the next shorter one that begins at the same place, or -1
    cdef int32_t longest[MAX_OPERATORS]     # of those that begin at a place, or -1
    cdef find(self, list operators, list apart, int32_t begin, int32_t end)
    cdef keep(self, Fused fused, int32_t first, int32_t end)
    cdef int32_t apply(self, int32_t place, int32_t end, Unit* unit, int64_t* given) noexcept nogil

cdef inline int32_t fused_from(Fusions fusions, int32_t place, int32_t end) noexcept nogil:
    """The longest Fused of operators from ``place`` on, none of them at ``end`` or behind
    it: its number, -1 for none."""
    cdef int32_t found = fusions.longest[place]
    while found >= 0 and fusions.end[found] > end:
        found = fusions.shorter[found]
    return found
