"""Waiting for a core: a worker that is bound to a core which somebody else is on, too, waits for it again and again.

Meanwhile it may hold a turn that all others wait for. So when workers have waited for more than ``waited`` of a look's time,
each may go wherever the system puts it: that costs nothing, and the plan stays. Looks are frequent now. If workers wait
again, ``stays`` times in all, somebody is there to stay: then the plan is whole, and what was known of plans is forgotten,
at once, without a trial. From there trials go on, with workers that are free to move. (To change the plan at the first wait
cost more than short waits do, which come on any machine.)

A trial has to be longer than the system's time slices, or it finds a whole core or none: ``slices`` times the longest wait
of late. It is over when several workers have worked for as long as a trial without waiting; then each has its core again.

How long a worker has waited is what the system says (``machine.run_queue``), or what a look is overdue by (``Controller.overdue``),
whichever is more: somebody has not come back with a turn. Where the system says nothing, only the latter tells.
"""


cdef void expect_no_waiting(Waiting* waiting, int64_t now) noexcept nogil:
    """As a run begins: each worker is on its core."""
    waiting.bound = True
    waiting.crowded = False
    waiting.spells = 0
    waiting.turned = waiting.clear = now


cdef Heeded heed(Waiting* waiting, const Given* given, int64_t now, double elapsed, double waited,
                 bint several) noexcept nogil:
    """``waited``: ns that workers have waited in the ``elapsed`` ns since the last look; ``several``: the plan is for them."""
    cdef bint much
    cdef Heeded heeded
    if (now - waiting.turned) * given.ns_per_tick > given.constants.thrift:
        waiting.turned = now
        waiting.longest[1] = waiting.longest[0]
        waiting.longest[0] = 0.0
    waiting.longest[0] = max(waiting.longest[0], waited)
    waiting.waited += waited
    waiting.elapsed += elapsed
    much = waiting.waited > given.constants.waited * max(waiting.elapsed, given.constants.calm_look)
    if much or waiting.elapsed >= given.constants.calm_look:
        waiting.waited = waiting.elapsed = 0.0
        waiting.spells = min(waiting.spells + 1, given.constants.stays) if much else max(waiting.spells - 1, <int64_t>0)
    if much or not several:
        waiting.clear = now
    if much:
        waiting.bound = False
    if waiting.spells >= given.constants.stays and not waiting.crowded:
        waiting.crowded = True
        return DISTURBED
    if waiting.bound or (now - waiting.clear) * given.ns_per_tick < trial_span(waiting, given):
        return NOTHING_NEW
    heeded = UNDISTURBED if waiting.crowded else NOTHING_NEW
    expect_no_waiting(waiting, now)
    waiting.longest[0] = waiting.longest[1] = 0.0
    return heeded


cdef double trial_span(const Waiting* waiting, const Given* given) noexcept nogil:
    """The ns that a trial takes."""
    return given.constants.slices * max(given.constants.trial_look, waiting.longest[0], waiting.longest[1])
