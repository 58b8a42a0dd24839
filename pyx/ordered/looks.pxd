"""What looks at the meters have told of the operators."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.ordered.cost_model cimport Pipeline
from streambench.pyx.ordered.terms cimport Terms
from streambench.pyx.ordered.meter cimport Metered
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

cdef enum:
    LOOKS = 7  # costs are the median of so many: a worker that lost its core does not count

cdef struct Looks:
    Metered seen[MAX_OPERATORS]             # by the latest look
    int32_t row_bytes[MAX_OPERATORS]        # of a row that the operator at this place is given
    double per_row[MAX_OPERATORS][LOOKS]    # ns, of the latest looks that counted
    int64_t counts[MAX_OPERATORS]           # of these looks. As all that grows while a run lasts: 32 bits last for days
    int64_t alone_at                        # ticks; the latest look at the plan whole
    bint looked                             # there has been a look
    double admitted                         # stream tuples by then
    double worked                           # the work done by then, in stream tuples of mean work

cdef double least_time(const Looks* looks, const Pipeline* pipeline) noexcept nogil
cdef bint tells_something(const Looks* looks, const Metered* totals, int32_t n) noexcept nogil
cdef void look(Looks* looks, Pipeline* pipeline, const Terms* terms, int64_t now, const Metered* totals, double tuples,
               bint alone, bint first_choice) noexcept nogil
