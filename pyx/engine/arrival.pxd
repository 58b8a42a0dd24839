"""Arrival at a rate, an open loop: who has arrived by now, whether or not the pipeline was ready.

At equal intervals, tuple number i, from 0, is there (i + 1) / ``rate`` seconds after the start. A schedule says when
else: its tuples' times, which come again in every period. ``started`` in ns, ``rate`` in tuples per second, not 0;
``admitted``: tuples that were taken in before.
"""

from libc.stdint cimport int64_t
from streambench.pyx.machine.clock cimport nanoseconds

cdef struct Schedule:
    const int64_t* due          # ns after a period's start, ascending, less than the period; NULL: at equal intervals
    int64_t tuples              # of a period
    int64_t period              # ns

cdef inline int64_t due_at(const Schedule* schedule, int64_t index) noexcept nogil:
    """Nanoseconds after the start at which that tuple of a schedule is there."""
    return index // schedule.tuples * schedule.period + schedule.due[index % schedule.tuples]

cdef inline int64_t arrived_by(const Schedule* schedule, int64_t now, int64_t admitted) noexcept nogil:
    """Tuples of a schedule, from ``admitted`` on, that are there ``now`` ns after the start.

    Few are waiting as a rule, so that doubled steps find them in less than a search through the period would take.
    """
    cdef int64_t here = 0, beyond = 1, middle
    while due_at(schedule, admitted + beyond - 1) <= now:
        here = beyond
        beyond *= 2
    while beyond - here > 1:            # so many are there, and so many are not
        middle = (here + beyond) // 2
        if due_at(schedule, admitted + middle - 1) <= now:
            here = middle
        else:
            beyond = middle
    return here

cdef inline int64_t arrived(int64_t started, double rate, const Schedule* schedule, int64_t admitted) noexcept nogil:
    """Tuples that are there and not admitted."""
    if schedule.due is not NULL:
        return arrived_by(schedule, nanoseconds() - started, admitted)
    return <int64_t>((nanoseconds() - started) * 1e-9 * rate) - admitted

cdef inline int64_t until_due(int64_t started, double rate, const Schedule* schedule, int64_t admitted) noexcept nogil:
    """Nanoseconds until the next tuple is there; 0 or less: it is."""
    if schedule.due is not NULL:
        return started + due_at(schedule, admitted) - nanoseconds()
    return started + <int64_t>((admitted + 1) * 1e9 / rate) - nanoseconds()

cdef inline Schedule schedule_of(tuple schedule) except *:
    """That of an array of times, which must outlive it, and a period, both in ns; None: at equal intervals."""
    cdef Schedule found
    cdef const int64_t[::1] due
    found.due = NULL
    found.tuples = found.period = 0
    if schedule is not None:
        due, found.period = schedule
        if due.shape[0] == 0 or due[0] < 0 or due[due.shape[0] - 1] >= found.period:
            raise ValueError("a schedule has tuples, all of them within its period")
        found.due = &due[0]
        found.tuples = due.shape[0]
    return found
