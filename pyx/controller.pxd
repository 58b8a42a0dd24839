"""The controller: which plan, and how many tuples to a unit."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.choice_log cimport ChoiceLog
from streambench.pyx.cost_model cimport Pipeline
from streambench.pyx.meter cimport Metered
from streambench.pyx.padded cimport CounterLine
from streambench.pyx.plan cimport Cuts
from streambench.pyx.unit cimport MAX_OPERATORS

cdef enum:
    LOOKS = 7                   # costs are the median of so many looks (see `usual`): a worker that lost its core does not count
    MOST_CANDIDATES = 4

cdef struct Candidate:
    Cuts cuts
    double time                 # ns per stream tuple, the best look

cdef class Controller:
    cdef Pipeline pipeline
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t widths[MAX_OPERATORS]      # columns of the rows that the operator at this place is given
    cdef bint free_plan                     # False: fixed by hand
    cdef bint free_unit
    cdef bint free_credit
    cdef double latency_target              # ns
    cdef int64_t credit
    cdef Cuts cuts
    cdef int64_t unit
    cdef int64_t next_decision              # ticks; when to look again
    cdef double ns_per_tick
    cdef int64_t since                      # of what is being observed: ticks, stream tuples
    cdef int64_t since_position
    cdef int64_t full                       # tuples admitted in units that were full
    cdef Metered seen[MAX_OPERATORS]
    cdef double per_row[MAX_OPERATORS][LOOKS]   # ns, of the last looks while fused
    cdef int64_t looks[MAX_OPERATORS]       # as all that grows for as long as a run lasts: 32 bits last for days
    cdef int64_t alone_at                   # ticks; the last look at the fused plan
    cdef double spent                       # ns of worker time per stream tuple, at the last look
    cdef bint looked                        # there has been a look
    # A tournament: candidates are tried one after the other, fused first, and the fastest stays.
    cdef Candidate candidates[MOST_CANDIDATES]
    cdef int32_t n_candidates
    cdef int32_t trying                     # which of them is being tried; -1: one has won
    cdef int32_t winner
    cdef int32_t favourite                  # the model's: for streams too slow to tell
    cdef double fastest                     # ns per stream tuple: the winner's before, or the fastest now
    cdef int32_t trial                      # looks at the present plan, the first ones do not count
    cdef int64_t begun                      # ticks
    cdef bint mature                        # the last tournament was not one of a run's first
    cdef double interval                    # ns from arrival to arrival where tuples come at a rate, else 0
    cdef double full_share                  # of the tuples in full units from which on the stream counts as saturated
    cdef int64_t behind                     # saturated looks in a row
    cdef int64_t waiting                    # tuples that have arrived and are not admitted, at a rate; set before a look
    cdef int64_t allowance                  # of a stream at a rate: how much more is under way than at first, up to 4 times
    cdef int32_t calm                       # looks at the winner since it won
    cdef double usual_time                  # ns per stream tuple, the slowest of the first of these
    cdef int64_t slow                       # looks in a row at which the winner was much slower than it had been
    cdef Cuts last_winner
    cdef int64_t won_at                     # ticks
    cdef int64_t patience                   # ticks from one tournament to the next
    cdef ChoiceLog plans                    # choices that changed the plan; those of size alone are many more and
    cdef ChoiceLog sizes                    # shall not crowd these out
    cdef void begin(self, int64_t now) noexcept nogil
    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil
    cdef void note(self, int64_t now, ChoiceLog* log) noexcept nogil
    cdef bint look(self, int64_t now, CounterLine** meters, int32_t workers, double tuples) noexcept nogil
    cdef double usual(self, int32_t k, double per_row) noexcept nogil
    cdef bint allow(self, bint saturated) noexcept nogil
    cdef int64_t in_flight(self) noexcept nogil
    cdef int64_t wanted_unit(self) noexcept nogil
    cdef int64_t ideal_unit(self, int64_t allowance) noexcept nogil
    cdef bint replan(self, int64_t now, double time, bint saturated, double load) noexcept nogil
    cdef bint same(self, Cuts one, Cuts other) noexcept nogil
    cdef bint change_to(self, Cuts cuts) noexcept nogil
    cdef void nominate(self, int64_t now) noexcept nogil
    cdef int32_t add_candidate(self, Cuts cuts) noexcept nogil
    cdef bint keep_up(self, int64_t now, double load) noexcept nogil
    cdef bint next_trial(self, int64_t now) noexcept nogil
