"""Trials of plans, paid from an account of time."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.ordered.cost_model cimport Pipeline
from streambench.pyx.ordered.terms cimport Terms
from streambench.pyx.ordered.plan cimport Cuts

cdef enum:
    MOST_ARMS = 8               # plans that are remembered
    WHOLE = 0                   # of these, the plan of one worker

cdef enum Phase:
    RESTING                     # with the best arm
    TRYING                      # another one
    RETURNING                   # with the best arm again, until the trial can be judged

cdef struct Arm:
    Cuts cuts
    bint nominated              # it may be tried
    int64_t trials              # 0: nothing is known of it
    double ratio                # its time to the best arm's, the mean of its latest trials
    double loss                 # ns that a trial of it costs, likewise
    int64_t tried_at            # ticks; its latest trial

cdef struct Moment:
    int64_t at                  # ticks; -1: the next look
    double position             # the work done by then, in stream tuples of mean work

cdef struct Trials:
    Arm arms[MOST_ARMS]
    int32_t n_arms
    int32_t best                # all these are numbers of arms
    int32_t latest              # the latest best one with segments; WHOLE: there was none
    int32_t favourite           # the model's, for streams that cannot tell
    int32_t on_trial            # on trial, or to be judged
    bint has_chosen             # something has been chosen
    Phase phase
    double account              # ns that trials may lose
    int64_t accrued             # ticks; up to when the account has earned
    Moment departure            # the best arm, for a trial
    Moment stretch              # when the present stretch of one plan began to count
    Moment halfway              # of that stretch, while a plan is on trial; at -1: not come yet
    double best_ns              # ns per stream tuple: of the best arm's latest stretch
    double trial_ns             # of the trial
    double usual_ns             # of the best arm; 0: not known yet
    int64_t unusual_stretches   # stretches in a row that were not
    int32_t resting             # workers that are to rest, by how they wait; all but one: the plan is to be whole
    int64_t nominated           # ticks; when the model was last asked

cdef void expect_trials(Trials* trials, const Terms* terms) noexcept nogil
cdef Cuts compete(Trials* trials, const Terms* terms, const Pipeline* pipeline, Cuts present, int64_t now,
                  double position, double span, int64_t behind, int64_t late, double every) noexcept nogil
cdef void nominate(Trials* trials, const Terms* terms, const Pipeline* pipeline, int64_t now,
                   double every) noexcept nogil
cdef void forget(Trials* trials) noexcept nogil
cdef void let_rest(Trials* trials, int32_t arm, int32_t resting) noexcept nogil
cdef void give_up(Trials* trials, const Terms* terms, int64_t now, double position) noexcept nogil
cdef bint is_curious(const Trials* trials, const Terms* terms, double span) noexcept nogil

cdef inline bint same(Cuts one, Cuts other) noexcept nogil:
    return one.heads == other.heads and one.sharded == other.sharded and one.resting == other.resting
