"""How many tuples a unit has, and how many units are under way."""

from libc.stdint cimport int64_t
from streambench.pyx.ordered.cost_model cimport Pipeline
from streambench.pyx.ordered.terms cimport Terms
from streambench.pyx.ordered.plan cimport Cuts

cdef struct Sizing:
    double spent            # ns of worker time per stream tuple, at the last look; INFINITY before
    int64_t allowance       # of a stream at a rate: how many times as much is under way as at first

cdef bint allow(Sizing* sizing, const Terms* terms, bint saturated, int64_t waiting) noexcept nogil
cdef int64_t ideal_unit(const Sizing* sizing, const Terms* terms, const Pipeline* pipeline, Cuts cuts,
                        int64_t allowance) noexcept nogil
cdef int64_t units_under_way(const Sizing* sizing, const Terms* terms, const Pipeline* pipeline, Cuts cuts,
                             int64_t unit) noexcept nogil
cpdef int64_t lone_unit(double interval, double cost, int64_t unit) noexcept nogil
