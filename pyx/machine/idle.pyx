"""Spin, nap, then park.

In a pipeline that has work a worker without any soon finds some again, and to wake it would cost the others more than
it gets done. So it naps first, where nobody sees it, longer every time. Only when that has led to nothing does it sleep
until woken; and who was woken in vain naps again before it can be woken the next time.
"""

from libcpp.atomic cimport memory_order_seq_cst
from streambench.pyx.machine.parking cimport announce, park
from streambench.pyx.machine.simulated cimport A_PAUSE, A_YIELD, spent
from streambench.pyx.machine.threads cimport pause_briefly, sleep_ns, yield_core

cdef enum:
    PAUSES = 200
    YIELDS = 20
    SHORTEST_NAP = 20_000       # ns; each is so much longer than the last one, up to
    LONGEST_NAP = 1_000_000     # ns; then it sleeps
    SOON = 50_000               # ns: a tuple that is due by then is waited for awake
    SHORTEST_WATCH = 3_000_000  # ns after which the source is asked again, where nothing says when that will give more
    LONGEST_SLEEP = 10_000_000  # ns: the rest sleep until woken; this bounds what is lost where nobody saw a reason to

cdef int64_t shortest_watch = SHORTEST_WATCH
cdef int64_t longest_sleep = LONGEST_SLEEP
cdef int64_t longest_nap = LONGEST_NAP


def bound_sleeps(int64_t watch=SHORTEST_WATCH, int64_t sleep=LONGEST_SLEEP, int64_t nap=LONGEST_NAP):
    """How long a worker sleeps that nobody wakes, in ns: on the first watch, and at most; and its longest nap before
    that. Not while workers run.

    A test makes sleeps so long that it sees who would have been forgotten, or naps, to see who sleeps without them.
    """
    global shortest_watch, longest_sleep, longest_nap
    shortest_watch, longest_sleep, longest_nap = watch, sleep, nap


cdef void rest(Idle* idle, int64_t until_due) noexcept nogil:
    """Wait for a while: there was nothing to do. ``until_due``: ns until the next tuple; 0 where that is not
    known, less where it is due."""
    cdef Parking* parking = idle.parking
    cdef bint watching, until_known, late = until_due < 0
    cdef int64_t span
    idle.rounds += 1
    if idle.rounds <= PAUSES:
        pause()
        return
    if idle.rounds <= PAUSES + YIELDS:
        if not spent(A_YIELD):
            yield_core()
        return
    if late and not idle.late:      # it has become due since the look
        idle.late = True
        pause()
        return
    idle.late = late
    # A look at a tuple that is due has not got it: it is another's, who is at it and keeps watch
    # afterwards, or the source is late.
    watching = not late and keep_watch(parking)
    until_known = watching and until_due > 0
    if until_known and until_due < SOON:
        pause()
    elif idle.woken or (idle.nap < longest_nap and not until_known):
        idle.woken = False
        idle.nap = min(idle.nap + SHORTEST_NAP, longest_nap)
        span = min(idle.nap, until_due - SOON) if until_known else idle.nap
        if not spent(span):
            sleep_ns(span)
    elif not idle.announced:
        announce(parking)
        idle.announced = True
    else:
        span = min(longest_sleep, shortest_watch) if late else longest_sleep
        if until_known:
            span = min(span, until_due - SOON)
        elif watching:      # each longer than the last one by 1/16, and so by 1/16 of the silence heard so far
            span = min(span, max(idle.watched + idle.watched // 16, shortest_watch))
        idle.announced = False
        idle.woken = park(parking, span)
        if watching and not until_known and not idle.woken:
            idle.watched = span
    if watching:
        end_watch(parking)


cdef void nap_no_more(Idle* idle) noexcept nogil:
    """There will be nothing to do for long: sleep at once. Linux gives a core to somebody who waits for one only where
    it was idle for half a millisecond on the average, and a core with a worker that naps is not.
    """
    idle.rounds = max(idle.rounds, <int64_t>(PAUSES + YIELDS))
    idle.nap = longest_nap


cdef inline void pause() noexcept nogil:
    if not spent(A_PAUSE):
        pause_briefly()


# seq_cst: who finds something to do has ended its watch before, and wakes another when there is more. That one
# announces itself before it tries to keep watch. So either it can, or it is woken.

cdef inline bint keep_watch(Parking* parking) noexcept nogil:
    return parking.watched.load(memory_order_seq_cst) == 0 and parking.watched.exchange(1, memory_order_seq_cst) == 0


cdef inline void end_watch(Parking* parking) noexcept nogil:
    parking.watched.store(0, memory_order_seq_cst)
