"""A tournament of plans."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.sharded.cost_model cimport Pipeline
from streambench.pyx.sharded.given cimport Given
from streambench.pyx.sharded.plan cimport Cuts

cdef enum:
    MOST_CANDIDATES = 4

cdef struct Candidate:
    Cuts cuts
    double time                 # ns per stream tuple, the best look; INFINITY before

cdef struct Tournament:
    Candidate candidates[MOST_CANDIDATES]       # number 0 is the plan whole
    int32_t n_candidates
    int32_t trying              # which of them is being tried; -1: one has won
    int32_t trial               # looks at the present plan, the first ones do not count
    int32_t winner
    int32_t favourite           # the model's: for streams that cannot tell
    double fastest              # ns per stream tuple: the winner's before, or the fastest now
    Cuts last_winner
    int64_t won_at              # ticks; 0: nothing has been chosen yet
    int64_t begun               # ticks; of the run
    bint mature                 # the last tournament was not one of a run's first
    int64_t patience            # ticks from one tournament to the next
    int32_t calm                # looks at the winner since it won
    double usual_time           # ns per stream tuple, the slowest of the first of these
    int64_t slow                # looks in a row at which the winner was much slower than it had been

cdef void expect_tournament(Tournament* tournament, const Given* given) noexcept nogil
cdef Cuts compete(Tournament* tournament, const Given* given, const Pipeline* pipeline, Cuts present, int64_t now,
                  double time, int64_t behind) noexcept nogil
cdef void nominate(Tournament* tournament, const Given* given, const Pipeline* pipeline, int64_t now) noexcept nogil

cdef inline bint same(Cuts one, Cuts other) noexcept nogil:
    return one.heads == other.heads and one.sharded == other.sharded
