"""Keeping up decides the plan of a stream that must not, or cannot, try plans.

Where less arrives than the plan could process, nothing shows how fast the plan is. A stream that keeps one worker busy for
less than ``busy`` of its time is run whole, which has the smallest delay; any other keeps the best plan, or has the one
that the model finds best. Where tuples come at a rate, one worker that keeps up with them takes what has arrived, in units
that are as small as it has time for: by what these cost it would seem busy always. So it stays alone until it falls behind.

Where tuples come at a rate a trial is a delay for all tuples behind it: plans are tried for milliseconds, and half a second
has 5 of them above its 99th percentile. So the first choice is the model's, after ``counted`` looks (0.9 ms), by the least
that each operator has cost (see ``looks``), without sharded operators where that is likely to do (see ``nominate``). The
choice is put to the test, by trials, only if the stream falls behind with it.

**One worker again.** What made one worker too slow may be over, and segments that keep up do not show it: what the plan
whole costs is known from then. So it is tried again where it would not take ``unusual`` of its time by what is known, after
``renewed`` in segments. It fails with ``counted`` looks in a row in which more came than it did, while tuples wait; an
interruption, which it works off, is none, but what waits has to become less from ``late`` looks to the next. So where it is
too slow all the time a failing try holds up the tuples of 2 ms. The next one waits twice as long: of failing tries there are
log2(t / ``renewed``) in a time t in segments. If it keeps up with as much of the stream as came while it waited, it is the
best plan, and what is known of the others is forgotten.
"""

from libc.math cimport INFINITY
from streambench.pyx.sharded.trials cimport WHOLE, forget, give_up, nominate


cdef void expect_one_worker(Alone* alone, const Given* given, int64_t now) noexcept nogil:
    """As a run begins."""
    alone.since = alone.held = now
    alone.wait = given.constants.renewed


cdef void heed_one_worker(Alone* alone, Trials* trials, const Given* given, const Looks* looks, Cuts present, int64_t now,
                          double pace, int64_t behind, int64_t waiting) noexcept nogil:
    """How one worker does that is tried again, and since when it does well.

    ``pace``: ns per stream tuple in this look; ``behind``: looks in a row that have found the stream saturated; ``waiting``: tuples.
    """
    alone.late = alone.late + 1 if behind > 0 and pace >= given.interval else 0
    if alone.tried:
        if present.heads != 0 or falls_behind(alone, given, behind, waiting):   # or another plan is in place, for another reason
            alone.tried = False
            alone.since = now
            alone.wait *= 2
        elif behind == 0 and (looks.admitted - alone.admitted) * given.interval >= alone.wait:
            alone.tried = False
            alone.since = alone.held = now
            alone.wait = given.constants.renewed
            forget(trials)
            trials.best = WHOLE
    elif present.heads != 0:
        alone.held = now
    else:
        alone.since = now
        if alone.late > 0:
            alone.held = now
        elif (now - alone.held) * given.ns_per_tick >= given.constants.renewed:
            alone.wait = given.constants.renewed


cdef bint falls_behind(Alone* alone, const Given* given, int64_t behind, int64_t waiting) noexcept nogil:
    """More has come than was done for ``counted`` looks; or, where that goes to and fro, as much as ever waits ``late`` looks later."""
    cdef int64_t apart = max(<int64_t>1, <int64_t>given.constants.late)
    cdef bint grows
    if alone.late >= given.constants.counted:
        return True
    if behind == 0 or (behind - 1) % apart != 0:
        return False
    grows = behind > 1 and waiting >= alone.waited
    alone.waited = waiting
    return grows


cdef Cuts keep_up(Trials* trials, Alone* alone, const Given* given, const Pipeline* pipeline, const Looks* looks,
                  Cuts present, int64_t now, double load, int64_t behind) noexcept nogil:
    """The plan that is to be next. ``load``: of one worker, as a part of its time.

    ``behind``: looks in a row that have found the stream saturated: after ``late`` of them one worker is not enough,
    whatever the load is reckoned to be.
    """
    cdef Cuts whole
    cdef double most = given.constants.busy
    whole.heads = whole.sharded = 0
    whole.resting = 0
    give_up(trials, given, now, looks.worked)       # a look that says nothing of the plan's speed
    if alone.tried:
        return whole
    if present.heads != 0:
        most *= given.constants.still_busy
    elif given.interval > 0:
        most = 1.0 if behind >= given.constants.counted else INFINITY
    if load < most and behind < given.constants.late:
        return whole
    if (present.heads != 0 and given.interval > 0 and trials.settled and load < given.constants.unusual
            and (now - alone.since) * given.ns_per_tick >= alone.wait):
        alone.tried = True
        alone.since = now
        alone.admitted = looks.admitted
        alone.late = 0
        return whole
    if looks.counts[0] < given.constants.counted:       # costs of the first tuples say little
        return present
    if not trials.settled:
        nominate(trials, given, pipeline, now)
        trials.best = trials.favourite
        if trials.best != WHOLE:
            trials.latest = trials.best
        trials.settled = True
    return trials.arms[trials.best].cuts
