"""What a controller is given as a run begins and never changes."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.ordered.controller_constants cimport ControllerConstants
from streambench.pyx.ordered.core_costs cimport CoreCosts

cdef struct Terms:
    ControllerConstants constants
    CoreCosts cores         # what they take to share
    double ns_per_tick
    double interval         # ns from arrival to arrival where tuples come at a rate, else 0
    double latency_target   # ns
    int32_t workers
    int64_t credit          # units that may be in flight
    bint free_plan          # False: fixed by hand
    bint free_unit
    bint free_credit

cdef inline int64_t in_ticks(const Terms* terms, double ns) noexcept nogil:
    return <int64_t>(ns / terms.ns_per_tick)
