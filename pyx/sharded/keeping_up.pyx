"""Keeping up decides the plan of a stream that must not, or cannot, try plans.

Where less arrives than the plan could process, nothing shows how fast the plan is. A stream that keeps one worker busy for
less than ``busy`` of its time is run whole, which has the smallest delay; any other keeps the best plan, or has the one
that the model finds best. Where tuples come at a rate, one worker that keeps up with them takes what has arrived, in units
that are as small as it has time for: by what these cost it would seem busy always. So it stays alone until it falls behind.

Where tuples come at a rate a trial is a delay for all tuples behind it: plans are tried for milliseconds, and half a second
has 5 of them above its 99th percentile. So the first choice is the model's, after ``counted`` looks (0.9 ms), by the least
that each operator has cost (see ``looks``), without sharded operators where that is likely to do (see ``nominate``). The
choice is put to the test, by trials, only if the stream falls behind with it.
"""

from libc.math cimport INFINITY
from streambench.pyx.sharded.trials cimport WHOLE, give_up, nominate


cdef Cuts keep_up(Trials* trials, const Given* given, const Pipeline* pipeline, const Looks* looks, Cuts present,
                  int64_t now, double load, int64_t behind) noexcept nogil:
    """The plan that is to be next. ``load``: of one worker, as a part of its time.

    ``behind``: looks in a row that have found the stream saturated: after ``late`` of them one worker is not enough,
    whatever the load is reckoned to be.
    """
    cdef Cuts whole
    cdef double most = given.constants.busy
    whole.heads = whole.sharded = 0
    whole.resting = 0
    give_up(trials, given, now, looks.worked)       # a look that says nothing of the plan's speed
    if present.heads != 0:
        most *= given.constants.still_busy
    elif given.interval > 0:
        most = 1.0 if behind >= given.constants.counted else INFINITY
    if load < most and behind < given.constants.late:
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
