"""Keeping up decides the plan of a stream that must not, or cannot, try plans.

Where less arrives than the plan could process, nothing shows how fast the plan is. A stream that keeps one worker
busy for less than ``busy`` of its time is run whole, which has the smallest delay; any other keeps the best plan, or
has the one that the model finds best. Where tuples come at a rate, one worker that keeps up with them takes what has
arrived, in units that are as small as it has time for: by what these cost it would seem busy always. So it stays
alone until it falls behind.

Where tuples come at a rate a trial is a delay for all tuples behind it: plans are tried for milliseconds, and half a
second has 5 of them above its 99th percentile. So the first choice is the model's, after ``counted`` looks (0.9 ms), by
the least that each operator has cost (see ``looks``), without sharded operators where that is likely to do (see
``nominate``). The choice is put to the test, by trials, only if the stream falls behind with it.

**One worker again.** What made one worker too slow may be over, and segments that keep up do not show it: what the plan
whole costs is known from before (or, after ``stale``, from segments). So it is tried again, ``renewed`` after it gave
the stream up, where what comes *of late* would not take ``unusual`` of its time by the least that is known: a rate
that steps has a mean that it never has, and the latest looks at it were those in which it was too slow. One worker
that has the stream keeps it until it falls behind: ``counted`` looks in a row after which no fewer tuples wait, or
``late`` looks after which not ``unusual`` times as many waited before them. An interruption, which it works off soon,
is none. Then the best plan with segments is back, and none is on trial while it works off what was left. If one worker
had not kept up yet with as much of the stream as came while it waited, the next try waits twice as long, and what
comes must be little for ``renewed`` to have it back before. So where it is too slow all the time, there are log2(t /
``renewed``) tries in a time t. Each holds up the tuples of some four looks of 0.6 ms, two more where units grow
meanwhile, and what has piled up by then.
"""

from libc.math cimport INFINITY
from streambench.pyx.ordered.trials cimport RESTING, WHOLE, give_up, nominate


cdef void expect_one_worker(LoneWorker* alone, const Terms* terms, int64_t now) noexcept nogil:
    """As a run begins."""
    alone.without_since = alone.last_look = alone.last_high = now
    alone.retry_after_ns = terms.constants.renewed
    alone.arrival_interval_ns = terms.interval


cdef bint one_worker_again(LoneWorker* alone, const Trials* trials, const Terms* terms, const Looks* looks,
                           Cuts present, int64_t now, double one, int64_t behind, int64_t waiting) noexcept nogil:
    """Is one worker to have the stream, though plans with segments are the best where it is not enough?

    ``one``: ns of one worker for a tuple, at least; ``behind``: looks in a row that have found the stream saturated;
    ``waiting``: tuples. Where it is not, and ``catching_up``, the best plan is to be in place, and nothing on trial.
    """
    take_stock(alone, terms, looks, now, one, behind, waiting)
    if terms.interval == 0 or not trials.has_chosen or trials.best == WHOLE:
        alone.has_stream = alone.catching_up = False
        alone.without_since = now
    elif alone.has_stream:
        if present.heads != 0:                      # for another reason: somebody is on a worker's core
            alone.has_stream = False
            alone.without_since = now
        elif falls_behind(alone, terms, behind, waiting):
            alone.retry_after_ns = (2 * alone.retry_after_ns if is_tried(alone, terms, looks)
                                    else terms.constants.renewed)
            alone.has_stream = False
            alone.without_since = now
            alone.catching_up = True
            compare_with(alone, waiting)
    elif alone.catching_up:
        # Its workers' caches are cold at first: that is no reason to try others.
        alone.catching_up = behind > 0 and not is_no_better(alone, terms, behind, waiting, 1.0)
    elif trials.phase == RESTING:
        if present.heads == 0:                      # it was reckoned to be enough by far
            alone.retry_after_ns = terms.constants.renewed
        elif (behind > 0 or alone.load >= terms.constants.unusual
              or (now - alone.without_since) * terms.ns_per_tick < alone.retry_after_ns):
            return False
        alone.has_stream = True
        alone.begin_tuples = looks.admitted
        alone.stuck_looks = 0
        compare_with(alone, waiting)
    return alone.has_stream


cdef void take_stock(LoneWorker* alone, const Terms* terms, const Looks* looks, int64_t now, double one, int64_t behind,
                     int64_t waiting) noexcept nogil:
    """What has come since the look before, and whether no fewer tuples wait; arguments as above."""
    cdef double arrived = looks.admitted + waiting
    cdef double span = (now - alone.last_look) * terms.ns_per_tick
    if terms.interval > 0 and span > 0:
        alone.arrival_interval_ns = span / max(arrived - alone.arrived_tuples, 1.0)
        alone.load = one / alone.arrival_interval_ns
    if alone.load >= terms.constants.busy * terms.constants.still_busy:
        alone.last_high = now
    alone.stuck_looks = alone.stuck_looks + 1 if behind > 0 and waiting > 0 and waiting >= alone.backlog else 0
    alone.last_look = now
    alone.arrived_tuples = arrived
    alone.backlog = waiting


cdef bint is_calm(const LoneWorker* alone, const Terms* terms, int64_t now) noexcept nogil:
    """May the stream be run whole at once, where that is reckoned to be enough by far? Not where it was not, of late:
    then it has to have been so for ``renewed``."""
    return (alone.retry_after_ns <= terms.constants.renewed
            or (now - alone.last_high) * terms.ns_per_tick >= terms.constants.renewed)


cdef bint is_tried(const LoneWorker* alone, const Terms* terms, const Looks* looks) noexcept nogil:
    """Has it the stream, and not kept up with as much of it yet as it waited for?"""
    return alone.has_stream and (looks.admitted - alone.begin_tuples) * terms.interval < alone.retry_after_ns


cdef bint falls_behind(LoneWorker* alone, const Terms* terms, int64_t behind, int64_t waiting) noexcept nogil:
    """As many tuples wait as before, or more, for ``counted`` looks; or too few less ``late`` looks later."""
    cdef bint slow = is_no_better(alone, terms, behind, waiting, terms.constants.unusual)
    return slow or (alone.stuck_looks > 0 and alone.stuck_looks >= terms.constants.counted)


cdef bint is_no_better(LoneWorker* alone, const Terms* terms, int64_t behind, int64_t waiting,
                       double times) noexcept nogil:
    """Did no more than so many ``times`` as many tuples wait ``late`` looks ago, and has the
    stream been saturated since?"""
    cdef bint slow
    if behind <= 1:
        compare_with(alone, waiting)
        return False
    alone.looks_since += 1
    if alone.looks_since < terms.constants.late:
        return False
    slow = waiting > 0 and waiting * times >= alone.earlier_backlog
    compare_with(alone, waiting)
    return slow


cdef void compare_with(LoneWorker* alone, int64_t waiting) noexcept nogil:
    alone.looks_since = 0
    alone.earlier_backlog = waiting


cdef Cuts keep_up(Trials* trials, const Terms* terms, const Pipeline* pipeline, const Looks* looks, Cuts present,
                  int64_t now, double load, int64_t behind) noexcept nogil:
    """The plan that is to be next. ``load``: of one worker, as a part of its time.

    ``behind``: looks in a row that have found the stream saturated: after ``late`` of them one worker is not enough,
    whatever the load is reckoned to be.
    """
    cdef Cuts whole
    cdef double most = terms.constants.busy
    whole.heads = whole.sharded = 0
    whole.resting = 0
    give_up(trials, terms, now, looks.worked)       # a look that says nothing of the plan's speed
    if present.heads != 0:
        most *= terms.constants.still_busy
    elif terms.interval > 0:
        most = 1.0 if behind >= terms.constants.counted else INFINITY
    if load < most and behind < terms.constants.late:
        return whole
    if looks.counts[0] < terms.constants.counted:       # costs of the first tuples say little
        return present
    if not trials.has_chosen:
        nominate(trials, terms, pipeline, now, terms.interval)
        trials.best = trials.favourite
        if trials.best != WHOLE:
            trials.latest = trials.best
        trials.has_chosen = True
    return trials.arms[trials.best].cuts
