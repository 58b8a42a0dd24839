"""What a plan would cost: the model behind the controller's choice."""

from libc.stdint cimport int32_t
from streambench.pyx.ordered.controller_constants cimport ControllerConstants
from streambench.pyx.ordered.core_costs cimport CoreCosts
from streambench.pyx.ordered.plan cimport Cuts
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

cdef struct OperatorCost:
    # Of the operator at one place; all per stream tuple. Nanoseconds.
    int kind                # as `kind_of`
    double cost
    double row              # the same per row that it is given
    double rows             # that it is given
    double bytes            # of these rows
    int32_t partitions
    int32_t dealt           # where the operators end that can be dealt with this one; 0: none

cdef struct Pipeline:
    OperatorCost operators[MAX_OPERATORS]
    int32_t n
    int32_t workers         # at work: those that rest are not among them
    double unit             # tuples
    const ControllerConstants* constants    # how many lines handing over takes
    const CoreCosts* cores                  # and how long each takes

cdef double whole_time(const Pipeline* pipeline) noexcept nogil
cdef double predicted_time(const Pipeline* pipeline, Cuts cuts) noexcept nogil
cdef double dealt_cuts(const Pipeline* pipeline, Cuts* cuts, double* time) noexcept nogil
cdef Cuts best_cuts(const Pipeline* pipeline, bint sharding, double* time) noexcept nogil
