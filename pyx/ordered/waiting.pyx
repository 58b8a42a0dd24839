"""Waiting for a core: a worker that is bound to a core which somebody else is on, too, waits for it again and again.

Meanwhile it may hold a turn that all others wait for. So when workers have waited for more than ``waited`` of a look's
time, each may go wherever the system puts it: that costs nothing, and the plan stays. Looks are frequent now. If
workers wait again, ``stays`` times in all, somebody is there to stay: then the plan is whole, and what was known of
plans is forgotten, at once, without a trial. From there trials go on, with workers that are free to move. (To change
the plan at the first wait cost more than short waits do, which come on any machine.)

Where there are more than two workers and the plan has segments, it stays, and one worker rests: its core is the
other's. If workers still wait, twice as many rest, and so on; once fewer than two would be left, the plan is whole. One
fewer and one more are tried as plans are (``trials.nominate``).

A trial has to be longer than the system's time slices, or it finds a whole core or none: ``slices`` times the longest
wait of late. It is over when all workers, in a plan of segments, have worked for as long as a trial without waiting;
then each has its core again. If that is a trial of one worker more, that one no longer rests.

How long a worker has waited is what the system says (``machine.run_queue``), or what a look is overdue by
(``Controller.overdue``), whichever is more: somebody has not come back with a turn. Where the system says
nothing, only the latter tells.
"""


cdef void expect_no_waiting(Waiting* waiting, int64_t now) noexcept nogil:
    """As a run begins: each worker is on its core."""
    waiting.bound = True
    waiting.resting = 0
    waiting.spells = 0
    waiting.turned = waiting.clear = now


cdef Heeded heed(Waiting* waiting, const Terms* terms, int64_t now, double elapsed, double waited,
                 int32_t working) noexcept nogil:
    """``waited``: ns that workers have waited in the ``elapsed`` ns since the last look; ``working``:
    how many do, in this plan."""
    cdef bint much, more = working > (terms.workers - waiting.resting if waiting.resting else 1)
    cdef bint some_rest = 1 < working < terms.workers  # who rests does not wait, and says nothing of the longest wait
    cdef double calm = terms.constants.calm_look
    if (now - waiting.turned) * terms.ns_per_tick > terms.constants.thrift and not some_rest:
        waiting.turned = now
        waiting.longest_ns[1] = waiting.longest_ns[0]
        waiting.longest_ns[0] = 0.0
    waiting.longest_ns[0] = max(waiting.longest_ns[0], waited)
    waiting.waited_ns += waited
    waiting.elapsed_ns += elapsed
    much = waiting.waited_ns > terms.constants.waited * max(waiting.elapsed_ns, terms.constants.calm_look)
    # who takes turns with a worker is away as long as it was there: that is no time without waits
    if terms.workers > 2:
        calm = max(calm, 2 * max(waiting.longest_ns[0], waiting.longest_ns[1]))
    if much or waiting.elapsed_ns >= calm:
        waiting.waited_ns = waiting.elapsed_ns = 0.0
        waiting.spells = min(waiting.spells + 1, terms.constants.stays) if much else max(waiting.spells - 1, <int64_t>0)
    if not is_open(waiting, terms, working):
        waiting.spells = 0
    if much or not more:
        waiting.clear = now
    if much:
        waiting.bound = False
    if waiting.spells >= terms.constants.stays:
        waiting.spells = 0
        waiting.resting = max(1, 2 * waiting.resting)
        if waiting.resting > terms.workers - 2:
            waiting.resting = terms.workers - 1
        return DISTURBED
    if waiting.bound or (now - waiting.clear) * terms.ns_per_tick < trial_span(waiting, terms):
        return NOTHING_NEW
    return back(waiting, terms, now, working)


cdef bint is_open(const Waiting* waiting, const Terms* terms, int32_t working) noexcept nogil:
    """May workers that wait be told to rest? Not in a trial of more workers than waits allow,
    nor where trials chose that."""
    return waiting.resting == 0 or 1 < working == terms.workers - waiting.resting


cdef Heeded back(Waiting* waiting, const Terms* terms, int64_t now, int32_t working) noexcept nogil:
    """So many have worked without waiting: they go on; if these are all, each on its core."""
    cdef Heeded heeded = UNDISTURBED if waiting.resting else NOTHING_NEW
    cdef int32_t resting = terms.workers - working if waiting.resting else 0
    if resting > 0:
        waiting.resting = resting
        waiting.spells = 0
        waiting.clear = now
        return heeded
    expect_no_waiting(waiting, now)
    waiting.longest_ns[0] = waiting.longest_ns[1] = 0.0
    return heeded


cdef double trial_span(const Waiting* waiting, const Terms* terms) noexcept nogil:
    """The ns that a trial takes."""
    return terms.constants.slices * max(terms.constants.trial_look, waiting.longest_ns[0], waiting.longest_ns[1])
