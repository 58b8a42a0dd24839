"""Trials decide which plan a saturated stream has: most of the time it has the best plan known, and an account of time
pays for short trials of others. docs/controller.md states what can be lost by that, and why.

**Arms** (as of a bandit): the plan whole; the cost model's best plan without sharded operators, and its best of all;
one by partition of what is made, where operators offer that; and the latest plan with segments that was best. The model
only nominates, because plans whose predictions are near each other are often not near each other: a controller that
trusted its model jumped between them. What is known of an arm stays known when the model nominates another for a while.

**The account** earns ``exploring`` of the run's time, and holds ``exploring`` of ``thrift`` at most. What a trial
loses is measured: its time, with the way there and back, less what the best arm usually takes for the tuples of that
time. That is booked, of a trial that is given up as far as the account goes. A trial begins when the account covers
what it will lose, by earlier ones, and ends when it has lost what the account holds. So trials take no more than the
account has earned, and what is lost within a look (after Wu et al. 2016, whose conservative bandit explores by what it
has earned with the safe arm). Arms of which nothing is known share the account equally: the first one, should it be
bad, leaves the next one its trial.

**Whose turn.** An arm of which nothing is known is tried at once. Any other may spend an equal share of what the
account earns: the more a trial of it loses, the longer it waits.

**Judging.** How far a stretch has come is told by the work done (``looks.work_done``): tuples may differ a
thousandfold. The best arm runs before a trial and after it, each time for as long as the trial, and the trial is
compared with the mean of both: what drifts evenly cancels. Where the two differ by ``unusual``, the stream has changed,
or the trial has left state in other cores' caches: then it says something only if it is beyond both by ``unusual``, and
is compared with the nearer one. The first look after a change does not count: the pipeline fills. An arm's ratios are
averaged, and it takes less than ``advantage`` of the best arm's time to become the best. As a run begins, less than
``plain`` needs no comparison with what comes after the trial: the arm is the best at once. (Later, a stream that
changes would look so, too.)

**Change.** When the best arm takes ``unusual`` times what it usually does, or so much less, for ``counted``
stretches in a row, then what was known of the others is forgotten (after Garivier & Moulines 2011: old samples
mislead in a world that switches).
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t
from streambench.pyx.ordered.cost_model cimport best_cuts, dealt_cuts, predicted_time, whole_time
from streambench.pyx.tuples.apply cimport PARTITIONED, STATELESS


cdef void expect_trials(Trials* trials, const Terms* terms) noexcept nogil:
    """As a run begins: with the plan whole, which is the best known."""
    trials.n_arms = 1
    trials.arms[WHOLE].nominated = True
    trials.account = holding(terms)
    trials.nominated = trials.stretch.at = -1


cdef double holding(const Terms* terms) noexcept nogil:
    """What the account holds at most, ns."""
    return terms.constants.exploring * terms.constants.thrift


cdef Cuts compete(Trials* trials, const Terms* terms, const Pipeline* pipeline, Cuts present, int64_t now,
                  double position, double span, int64_t behind, int64_t late, double every) noexcept nogil:
    """The plan that is to be next, of a saturated stream, of which work worth ``position`` tuples has been done.

    ``span``: ns that a trial takes; ``behind``: looks in a row that have found the stream saturated; ``late``:
    of these, the latest ones after which no fewer tuples waited than before; ``every``: ns from arrival to
    arrival of late, 0 without a rate.
    """
    trials.account = min(holding(terms), trials.account
                         + terms.constants.exploring * terms.ns_per_tick * (now - trials.accrued))
    trials.accrued = now
    if not same(present, trials.arms[trials.on_trial if trials.phase == TRYING else trials.best].cuts):
        give_up(trials, terms, now, position)       # a lull is over
        return trials.arms[trials.best].cuts
    if trials.stretch.at < 0:                     # the first look after a change
        begin_stretch(trials, now, position)
        if trials.phase != TRYING or lost_so_far(trials, terms, now, position) < allowance(trials):
            return present
    if trials.phase == TRYING:
        return go_on_trying(trials, terms, present, now, position, span)
    if (now - trials.stretch.at) * terms.ns_per_tick < span:
        return present
    if trials.phase == RETURNING:
        judge(trials, terms, now, position, span)
    else:
        notice(trials, terms, pace(terms, trials.stretch, now, position))
    if trials.stretch.at < 0:                     # another is the best
        return trials.arms[trials.best].cuts
    trials.best_ns = pace(terms, trials.stretch, now, position)
    begin_stretch(trials, now, position)
    # A trial is a delay for all tuples behind it. A plan that works a backlog off, which an
    # interruption left, is fast enough.
    if terms.interval > 0 and (behind < terms.constants.counted or late < terms.constants.counted):
        return present
    return next_trial(trials, terms, pipeline, now, position, span, every)


cdef inline void begin_stretch(Trials* trials, int64_t now, double position) noexcept nogil:
    trials.stretch.at = now
    trials.stretch.position = position
    trials.halfway.at = -1


cdef inline double pace(const Terms* terms, Moment since, int64_t now, double position) noexcept nogil:
    """ns per stream tuple."""
    if position <= since.position:
        return INFINITY
    return (now - since.at) * terms.ns_per_tick / (position - since.position)


cdef inline double lost(const Terms* terms, Moment since, Moment end, double usual) noexcept nogil:
    """ns of the time between two moments that the best arm would not have taken; ``usual``: its pace."""
    return (end.at - since.at) * terms.ns_per_tick - (end.position - since.position) * usual


cdef double lost_so_far(const Trials* trials, const Terms* terms, int64_t now, double position) noexcept nogil:
    cdef Moment present
    present.at = now
    present.position = position
    return lost(terms, trials.departure, present, trials.best_ns)


cdef Cuts next_trial(Trials* trials, const Terms* terms, const Pipeline* pipeline, int64_t now, double position,
                     double span, double every) noexcept nogil:
    """The plan of the arm whose turn it is, or of the best."""
    cdef int32_t arm
    if (trials.nominated < 0 or is_curious(trials, terms, span)
            or (now - trials.nominated) * terms.ns_per_tick >= terms.constants.renewed):
        nominate(trials, terms, pipeline, now, every)
    arm = whose_turn(trials, terms, now, span)
    trials.has_chosen = trials.has_chosen or arm < 0
    if arm < 0:
        return trials.arms[trials.best].cuts
    trials.phase = TRYING
    trials.on_trial = arm
    begin_stretch(trials, now, position)
    trials.departure = trials.stretch
    trials.stretch.at = -1
    return trials.arms[arm].cuts


cdef Cuts go_on_trying(Trials* trials, const Terms* terms, Cuts present, int64_t now, double position,
                       double span) noexcept nogil:
    """Until the trial has lasted long enough, or lost what the account holds. Of a plan of segments units are under
    way, which the one on trial has to wait for: what that takes says nothing of it, so it goes on for a look beyond the
    first one. One that warms up goes on, by half its length each time.
    """
    cdef bint waited = trials.arms[trials.best].cuts.heads != 0
    if trials.halfway.at < 0 and (now - trials.stretch.at) * terms.ns_per_tick >= 0.5 * span:
        trials.halfway.at = now
        trials.halfway.position = position
    if (now == trials.stretch.at and waited) or ((now - trials.stretch.at) * terms.ns_per_tick < span
                                               and lost_so_far(trials, terms, now, position) < allowance(trials)):
        return present
    if warms_up(trials, terms, now, position):
        trials.stretch = trials.halfway
        trials.halfway.at = now
        trials.halfway.position = position
        return present
    trials.trial_ns = pace(terms, trials.stretch if now > trials.stretch.at else trials.departure, now, position)
    if not trials.has_chosen and trials.trial_ns < terms.constants.plain * trials.best_ns:
        win(trials, terms, now, span)
        return present
    trials.phase = RETURNING
    trials.stretch.at = -1
    return trials.arms[trials.best].cuts


cdef double allowance(const Trials* trials) noexcept nogil:
    """ns that the trial under way may lose: all that the account holds, or of an arm of which nothing is known its
    share among such arms."""
    cdef int32_t k, unknown = 0
    for k in range(trials.n_arms):
        unknown += k != trials.best and trials.arms[k].nominated and trials.arms[k].trials == 0
    return trials.account / unknown if trials.arms[trials.on_trial].trials == 0 and unknown > 0 else trials.account


cdef void win(Trials* trials, const Terms* terms, int64_t now, double span) noexcept nogil:
    """The arm on trial is the best at once: it has lost nothing, and nothing that comes after it could be as fast."""
    cdef Arm* arm = &trials.arms[trials.on_trial]
    trials.phase = RESTING
    arm.trials = 1
    arm.ratio = trials.trial_ns / trials.best_ns
    crown(trials, terms, trials.on_trial, now, span)


cdef bint warms_up(const Trials* trials, const Terms* terms, int64_t now, double position) noexcept nogil:
    """Is the plan on trial, which is not the faster one yet, getting faster? Then it goes on: its other workers fetch
    what the best arm's have left in their caches. So it does until it has lost half of what the account holds.
    """
    if (trials.halfway.at < 0 or trials.halfway.at == now
            or pace(terms, trials.stretch, now, position) < terms.constants.advantage * trials.best_ns
            or lost_so_far(trials, terms, now, position) >= 0.5 * trials.account):
        return False
    return (pace(terms, trials.halfway, now, position) * terms.constants.unusual
            < pace(terms, trials.stretch, trials.halfway.at, trials.halfway.position))


cdef void judge(Trials* trials, const Terms* terms, int64_t now, double position, double span) noexcept nogil:
    """The best arm has run before the trial and after it: book what the trial has lost, and
    see which is the better one."""
    cdef Arm* arm = &trials.arms[trials.on_trial]
    cdef double after = pace(terms, trials.stretch, now, position), usual = 0.5 * (trials.best_ns + after)
    cdef double loss = lost(terms, trials.departure, trials.stretch, usual)
    cdef double least = min(trials.best_ns, after), most = max(trials.best_ns, after)
    trials.account -= loss
    trials.phase = RESTING
    arm.tried_at = now
    if most > terms.constants.unusual * least:  # the stream has changed meanwhile
        if least / terms.constants.unusual <= trials.trial_ns <= most * terms.constants.unusual:
            return
        usual = least if trials.trial_ns < least else most
    arm.trials += 1
    average(terms, &arm.ratio, trials.trial_ns / usual, arm.trials)
    average(terms, &arm.loss, max(loss, terms.constants.least_lost * span), arm.trials)
    if arm.ratio < terms.constants.advantage:
        crown(trials, terms, trials.on_trial, now, span)


cdef void average(const Terms* terms, double* mean, double latest, int64_t number) noexcept nogil:
    mean[0] += (latest - mean[0]) / min(number, terms.constants.averaged)


cdef void crown(Trials* trials, const Terms* terms, int32_t winner, int64_t now, double span) noexcept nogil:
    """Make another arm the best: all ratios are to it from now on."""
    cdef double ratio = trials.arms[winner].ratio
    cdef int32_t k
    trials.arms[trials.best].ratio = 1.0
    trials.arms[trials.best].trials = 1
    trials.arms[trials.best].tried_at = now
    for k in range(trials.n_arms):
        trials.arms[k].ratio /= ratio
        trials.arms[k].loss = (span * max(terms.constants.least_lost, 1.0 - 1.0 / trials.arms[k].ratio)
                               if trials.arms[k].trials else 0.0)
    trials.best = winner
    if winner != WHOLE:
        trials.latest = winner
    trials.has_chosen = True
    trials.usual_ns = 0.0
    trials.unusual_stretches = 0
    trials.stretch.at = -1


cdef void notice(Trials* trials, const Terms* terms, double time) noexcept nogil:
    """Is the best arm what it was? ``time``: ns per stream tuple of its latest stretch."""
    if trials.usual_ns == 0.0:
        trials.usual_ns = time
    if trials.usual_ns / terms.constants.unusual < time < trials.usual_ns * terms.constants.unusual:
        trials.usual_ns += (time - trials.usual_ns) / terms.constants.averaged
        trials.unusual_stretches = 0
        return
    trials.unusual_stretches += 1
    if trials.unusual_stretches >= terms.constants.counted:
        forget(trials)
        trials.usual_ns = time


cdef void forget(Trials* trials) noexcept nogil:
    """What was known of the arms."""
    cdef int32_t k
    for k in range(trials.n_arms):
        trials.arms[k].trials = 0
        trials.arms[k].ratio = trials.arms[k].loss = 0.0
    trials.usual_ns = 0.0
    trials.unusual_stretches = 0
    trials.nominated = -1


cdef void let_rest(Trials* trials, int32_t arm, int32_t resting) noexcept nogil:
    """The plan of this arm is the best from now on, with so many workers that rest."""
    cdef Cuts cuts = trials.arms[arm].cuts
    cdef int32_t k
    cuts.resting = resting
    for k in range(trials.n_arms):
        trials.arms[k].nominated = k == WHOLE
    trials.best = trials.latest = add_arm(trials, cuts)


cdef void give_up(Trials* trials, const Terms* terms, int64_t now, double position) noexcept nogil:
    """A trial that was under way says nothing; the next look is the first one after a change.

    What it has lost is booked all the same, or a plan that is given up again and again would cost more than was earned;
    no more than the account holds, since time for which no tuple came looks like a loss.
    """
    if trials.phase != RESTING:
        trials.account -= min(max(lost_so_far(trials, terms, now, position), 0.0), max(trials.account, 0.0))
        trials.arms[trials.on_trial].tried_at = now
    trials.phase = RESTING
    trials.stretch.at = -1


cdef double expected_loss(const Trials* trials, const Terms* terms, int32_t arm, double span) noexcept nogil:
    """ns that a trial of the arm will lose; of one that nothing is known of, half of its time."""
    return min(trials.arms[arm].loss if trials.arms[arm].trials else 0.5 * span, 0.5 * holding(terms))


cdef bint is_curious(const Trials* trials, const Terms* terms, double span) noexcept nogil:
    """Is an arm to be tried at once?"""
    cdef int32_t k
    for k in range(trials.n_arms):
        if (k != trials.best and trials.arms[k].nominated and trials.arms[k].trials == 0
                and expected_loss(trials, terms, k, span) <= trials.account):
            return True
    return trials.nominated < 0


cdef int32_t whose_turn(const Trials* trials, const Terms* terms, int64_t now, double span) noexcept nogil:
    """The number of the arm that is to be tried now; -1: none."""
    cdef double others = -1.0, due, most = 1.0, loss
    cdef int32_t k, turn = -1
    for k in range(trials.n_arms):
        others += trials.arms[k].nominated or k == trials.best
    for k in range(trials.n_arms):
        loss = expected_loss(trials, terms, k, span)
        if k == trials.best or not trials.arms[k].nominated or loss > trials.account:
            continue
        if trials.arms[k].trials == 0:
            return k
        due = terms.constants.exploring * terms.ns_per_tick * (now - trials.arms[k].tried_at) / (loss * others)
        if due >= most:
            most = due
            turn = k
    return turn


cdef void nominate(Trials* trials, const Terms* terms, const Pipeline* pipeline, int64_t now,
                   double every) noexcept nogil:
    """Beside the plan whole: the latest best one with segments, the model's best without sharded operators, its best of
    all (and, if that has none either and no rate is to be kept, the one with all keyed operators sharded); and what
    operators offer that can be dealt, for the model does not know what it costs to move all that they make: before the
    others where that is manifold, for a bad trial can lose all that there is to lose.

    The first choice at a rate is made without a trial, by costs that are too high: there the best of all is left
    out where the one without sharded operators will do. Where tuples come at a rate and one worker could not keep
    up with what has come of late, ``every`` so many ns, by what the operators cost, the plan whole is no arm,
    unless segments are slower still.
    """
    cdef double cut_time, best_time, dealt_time = 0.0, made_time, whole = whole_time(pipeline)
    cdef Cuts dealt
    cdef Cuts cut = best_cuts(pipeline, False, &cut_time)
    cdef Cuts best = best_cuts(pipeline, True, &best_time)
    cdef Cuts other = trials.arms[trials.best].cuts
    cdef int32_t k
    if (not trials.has_chosen
            and cut_time < min(terms.constants.cut_will_do * every, max(whole, every))):
        best = cut
        best_time = cut_time
    if trials.best == WHOLE and trials.resting < terms.workers - 1:
        other.resting = trials.resting
    cut.resting = best.resting = other.resting
    for k in range(trials.n_arms):
        trials.arms[k].nominated = k == trials.latest
    trials.arms[WHOLE].nominated = terms.interval == 0 or whole < max(every, trials.best_ns)
    trials.favourite = WHOLE
    if 0 < every < whole:                   # one worker would not do: whatever is best then
        whole = INFINITY
    made_time = dealt_cuts(pipeline, &dealt, &dealt_time)
    dealt.resting = other.resting
    if dealt_time >= terms.constants.hopeless * whole:
        made_time = 0.0
    if made_time >= terms.constants.manifold:
        add_arm(trials, dealt)
    if best_time < min(cut_time / terms.constants.unusual, terms.constants.hopeless * whole):
        add_arm(trials, best)                               # of many workers a cut would leave most idle
    if cut_time < terms.constants.hopeless * whole:
        add_arm(trials, cut)
    if best_time < terms.constants.hopeless * whole:
        trials.favourite = add_arm(trials, best)
    if made_time > 0.0:
        add_arm(trials, dealt)
    if best.sharded == 0 and terms.interval == 0:  # the model finds cuts as good: whether they are, only a trial tells
        best = all_sharded(pipeline)
        best.resting = other.resting
        if best.sharded != 0 and predicted_time(pipeline, best) < terms.constants.hopeless * whole:
            add_arm(trials, best)
    if other.heads != 0 and other.resting > 0:
        other.resting -= 1
        add_arm(trials, other)
        other.resting += 1
    if trials.resting > 0 and other.heads != 0 and other.resting < terms.workers - 2:
        other.resting += 1
        add_arm(trials, other)
    trials.nominated = now


cdef Cuts all_sharded(const Pipeline* pipeline) noexcept nogil:
    """Each keyed operator that has several partitions is run by partition, as in the plan ``sharded`` by hand."""
    cdef Cuts cuts
    cdef int32_t k
    cuts.heads = cuts.sharded = 0
    cuts.resting = 0
    for k in range(1, pipeline.n):
        if pipeline.operators[k].kind != STATELESS:
            cuts.heads |= <uint32_t>1 << k
            if pipeline.operators[k].kind == PARTITIONED and pipeline.operators[k].partitions > 1:
                cuts.sharded |= <uint32_t>1 << k
    return cuts


cdef int32_t add_arm(Trials* trials, Cuts cuts) noexcept nogil:
    """Its number; it may be one already, or take the place of one that is no longer nominated."""
    cdef int32_t k, place = -1
    for k in range(trials.n_arms):
        if same(cuts, trials.arms[k].cuts):
            trials.arms[k].nominated = True
            return k
    if trials.n_arms < MOST_ARMS:
        place = trials.n_arms
        trials.n_arms += 1
    else:
        for k in range(1, trials.n_arms):
            if (k != trials.best and k != trials.latest and not trials.arms[k].nominated
                    and (place < 0 or trials.arms[k].tried_at < trials.arms[place].tried_at)):
                place = k
    trials.arms[place].cuts = cuts
    trials.arms[place].nominated = True
    trials.arms[place].trials = trials.arms[place].tried_at = 0
    trials.arms[place].ratio = trials.arms[place].loss = 0.0
    return place
