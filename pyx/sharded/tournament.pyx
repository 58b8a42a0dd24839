"""Tournaments decide which plan a saturated stream has: each candidate runs for some milliseconds, and the fastest stays.

**Candidates.** The plan whole comes first: its looks are also those at what operators cost. From these costs the cost model
nominates: its best plan without sharded operators, its best of all; and what won last time is a candidate, too. The model
only nominates because plans whose predictions are near each other are often not near each other: a controller that trusted
its model jumped between them. The model is rather too optimistic: a trial in vain costs 2 ms, a plan never tried may cost a
third of the speed. A plan is for one worker, or for all that take part, never for a number between.

**Trials.** A trial has ``uncounted`` looks while the new plan's pipeline fills, then ``counted`` ones, of which the best
counts. A candidate that is slower by far than the fastest so far (``slower``) has one counted look. Where tuples come at a
rate and one worker could not keep up, by what the operators cost, the plan whole is not run: that cost is taken for its time.

**Patience.** Another tournament begins when ``counted`` looks in a row have found the stream saturated, and either
``patience`` has gone by since the winner won, or the winner has been much slower than usual for ``counted`` looks. (What is
usual is the slowest of its first ``counted`` looks: a trial is too short to say.) While the run is young, memory is touched
for the first time, and patience is short, except at a rate, where each trial makes a backlog. Then it is ``patience``, and
doubles with each tournament that has the winner of the one before. It is longest after a winner that won by far, and long
after one of the first that is nearly as fast as can be. No number of tournaments ends them: a stream may change at any time.
"""

from libc.math cimport INFINITY
from streambench.pyx.sharded.controller_constants cimport ControllerConstants
from streambench.pyx.sharded.cost_model cimport best_cuts, whole_time
from streambench.pyx.sharded.given cimport in_ticks


cdef void expect_tournament(Tournament* tournament, const Given* given) noexcept nogil:
    """As a run begins: with the plan whole, the first candidate of the first tournament."""
    tournament.trying = 0
    tournament.n_candidates = 1
    tournament.candidates[0].time = tournament.fastest = INFINITY
    tournament.patience = in_ticks(given, given.constants.young_patience)


cdef Cuts compete(Tournament* tournament, const Given* given, const Pipeline* pipeline, Cuts present, int64_t now,
                  double time, int64_t behind) noexcept nogil:
    """The plan that is to be next, of a saturated stream. ``time``: ns per stream tuple in the present one.

    ``behind``: looks in a row that have found the stream saturated.
    """
    cdef const ControllerConstants* constants = &given.constants
    cdef Candidate* winner = &tournament.candidates[tournament.winner]
    if tournament.trying >= 0:
        tournament.trial += 1
        if tournament.trial <= constants.uncounted:
            return present
        tournament.candidates[tournament.trying].time = min(tournament.candidates[tournament.trying].time, time)
        if (tournament.trial == constants.uncounted + constants.counted
                or time > constants.slower * tournament.fastest):
            return next_trial(tournament, given, pipeline, present, now)
        return present
    if not same(winner.cuts, present):
        tournament.won_at = now         # a lull is over
        return winner.cuts
    if tournament.calm < constants.counted:     # a trial is too short to say what is usual
        tournament.calm += 1
        tournament.usual_time = max(tournament.usual_time, time)
    tournament.slow = tournament.slow + 1 if time > constants.slower * tournament.usual_time else 0
    if behind < constants.counted or (tournament.slow < constants.counted
                                      and now - tournament.won_at < tournament.patience):
        return present
    tournament.trying = tournament.trial = tournament.slow = 0
    tournament.fastest = winner.time    # or has been: what is slower by far gets one look only
    tournament.n_candidates = 1
    tournament.candidates[0].time = INFINITY
    tournament.candidates[0].cuts.heads = tournament.candidates[0].cuts.sharded = 0
    if given.interval > 0 and whole_time(pipeline) > given.interval:    # run whole, it would only fall behind
        tournament.candidates[0].time = whole_time(pipeline)
        return next_trial(tournament, given, pipeline, present, now)
    return tournament.candidates[0].cuts


cdef Cuts next_trial(Tournament* tournament, const Given* given, const Pipeline* pipeline, Cuts present,
                     int64_t now) noexcept nogil:
    """A trial is over: the plan of the next candidate, or of the winner."""
    tournament.trial = 0
    tournament.fastest = min(tournament.fastest, tournament.candidates[tournament.trying].time)
    if tournament.trying == 0:
        nominate(tournament, given, pipeline, now)
    tournament.trying += 1
    if tournament.trying < tournament.n_candidates:
        return tournament.candidates[tournament.trying].cuts
    tournament.trying = -1
    tournament.won_at = now
    tournament.calm = 0
    tournament.usual_time = 0.0
    tournament.winner = fastest_of(tournament, given)
    tournament.patience = patience_after(tournament, given, pipeline)
    tournament.last_winner = tournament.candidates[tournament.winner].cuts
    return tournament.last_winner


cdef int32_t fastest_of(const Tournament* tournament, const Given* given) noexcept nogil:
    """The winner's number: the plan whole, unless another is faster by ``advantage``."""
    cdef int32_t k, winner = 0
    for k in range(1, tournament.n_candidates):
        if tournament.candidates[k].time < tournament.candidates[winner].time * (
                given.constants.advantage if winner == 0 else 1.0):
            winner = k
    return winner


cdef int64_t patience_after(const Tournament* tournament, const Given* given, const Pipeline* pipeline) noexcept nogil:
    """Ticks until the next tournament."""
    cdef const ControllerConstants* constants = &given.constants
    cdef const Candidate* winner = &tournament.candidates[tournament.winner]
    cdef double whole = tournament.candidates[0].time
    if not tournament.mature:
        if given.interval > 0:                                      # trials make a backlog
            return in_ticks(given, constants.patience)
        if winner.time * pipeline.workers < constants.perfect * whole:      # they cost more than they can gain
            return in_ticks(given, constants.perfect_patience)
        return in_ticks(given, constants.young_patience)
    if winner.time < constants.decisive * whole:
        return in_ticks(given, constants.most_patience)
    if same(winner.cuts, tournament.last_winner):
        return <int64_t>min(constants.most_patience / given.ns_per_tick, 2.0 * tournament.patience)
    return in_ticks(given, constants.patience)


cdef void nominate(Tournament* tournament, const Given* given, const Pipeline* pipeline, int64_t now) noexcept nogil:
    """Behind the plan whole: what won last, the model's best without sharded operators, and its best of all.

    The first choice at a rate is made without a trial, by costs that are too high: there the best of all is left out where
    the one without sharded operators will do.
    """
    cdef const ControllerConstants* constants = &given.constants
    cdef double cut_time, best_time, whole = whole_time(pipeline)
    cdef Cuts cut = best_cuts(pipeline, False, &cut_time)
    cdef Cuts best = best_cuts(pipeline, True, &best_time)
    tournament.mature = now - tournament.begun > constants.young / given.ns_per_tick
    if (cut_time < min(constants.cut_will_do * given.interval, max(whole, given.interval))
            and tournament.won_at == 0):
        best = cut
        best_time = cut_time
    tournament.n_candidates = 1
    tournament.favourite = 0
    add_candidate(tournament, tournament.last_winner)
    if 0 < given.interval < whole:          # one worker would not do: whatever is best then
        whole = INFINITY
    if cut_time < constants.hopeless * whole and cut_time < constants.outclassed * best_time:
        add_candidate(tournament, cut)
    if best_time < constants.hopeless * whole:
        tournament.favourite = add_candidate(tournament, best)


cdef int32_t add_candidate(Tournament* tournament, Cuts cuts) noexcept nogil:
    """Its number; it may be one already."""
    cdef int32_t k
    for k in range(tournament.n_candidates):
        if same(cuts, tournament.candidates[k].cuts):
            return k
    tournament.candidates[tournament.n_candidates].cuts = cuts
    tournament.candidates[tournament.n_candidates].time = INFINITY
    tournament.n_candidates += 1
    return tournament.n_candidates - 1
