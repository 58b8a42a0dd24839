"""What is kept of a controller's choices: the first ones and the latest ones, however many there are."""

from libc.stdint cimport int64_t
from streambench.pyx.ordered.plan cimport Cuts

cdef enum:
    KEPT = 256              # of the first choices, and of the latest

cdef struct Choice:
    # One decision that changed something.
    int64_t number          # of all decisions of the run, whichever log they are in: what is missing was not kept
    int64_t at              # ticks
    int64_t unit
    int64_t in_flight
    Cuts cuts
    bint bound              # each worker is to stay on its core

cdef struct ChoiceLog:
    int64_t count           # of choices so far
    Choice first[KEPT]
    Choice latest[KEPT]     # of those behind the first ones: choice k at k % KEPT

cdef void keep(ChoiceLog* log, const Choice* choice) noexcept nogil
cdef list kept(const ChoiceLog* log)
