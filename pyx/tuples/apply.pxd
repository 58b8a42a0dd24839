"""Calling an operator on a whole unit."""

from libc.stdint cimport int32_t
from streambench.pyx.tuples.operator cimport Operator
from streambench.pyx.tuples.unit cimport Unit

cdef enum:
    STATELESS
    PARTITIONED
    STATEFUL

cdef int kind_of(object operator) except -1
cdef void apply(Operator operator, int kind, int32_t place, Unit* unit) noexcept nogil
cdef void apply_rest(Operator operator, int kind, Unit* unit) noexcept nogil
