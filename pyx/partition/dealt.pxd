"""Operators that run by partition of what they make."""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.tuples.columns cimport Columns
from streambench.pyx.tuples.layout cimport LayoutPointer
from streambench.pyx.tuples.unit cimport Group, Unit

cdef class Dealt:
    cdef readonly tuple operators
    cdef int32_t n                          # of them
    cdef int32_t partitions
    cdef int32_t emitted_width              # and `layout`: of what the last one emits
    cdef LayoutPointer layout
    cdef bint dealt                         # they run so at present
    cdef PaddedCounter* stopped             # borrowed of who calls it. 1: nothing that it does reaches
                                            # a sink. NULL: nobody stops it
    cdef void share(self, bint dealt) noexcept nogil
    cdef void process(self, int32_t partition, Columns* rows, Columns* out, int64_t* given) noexcept nogil
    cdef void merge(self, Group* groups, int32_t n, Columns* out) noexcept nogil

cdef inline bint is_stopped(Dealt dealt) noexcept nogil:
    """May ``process`` leave the rest of the rows? A look now and then is for units that become so
    much that it takes seconds."""
    return dealt.stopped is not NULL and dealt.stopped.value.load(memory_order_relaxed) != 0

cdef void deal(Dealt dealt, int32_t place, Unit* unit) noexcept nogil
cdef void process_dealt(Dealt dealt, Group* group) noexcept nogil
cdef void gather_dealt(Dealt dealt, int32_t place, Unit* unit) noexcept nogil
