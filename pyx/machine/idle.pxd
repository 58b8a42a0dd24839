"""How a worker waits that finds nothing to do: it spins, yields, naps, and then sleeps until others wake it.

One of those who wait keeps watch: it wakes when the next tuple is due, or, where that is not known, every now and then
to ask the source. In a worker's loop::

    if look_for_work_and_do_it():
        resume(&idle)
        if there_is_more():
            wake_one(idle.parking)          # see parking.pxd for the memory orders
    else:
        rest(&idle, ns_until_the_next_tuple)        # returns soon or late; then look again
"""

from libc.stdint cimport int64_t
from streambench.pyx.machine.parking cimport Parking, withdraw

cdef struct Idle:
    Parking* parking
    int64_t rounds          # in a row that found nothing
    bint announced          # as a sleeper: the next look is the last one
    bint woken              # and nothing has been found since
    bint late               # the next tuple was due, and yet the look before had not found it
    int64_t nap             # ns, the last one
    int64_t watched         # ns for which it slept the last time before it asked the source again

cdef void rest(Idle* idle, int64_t until_due) noexcept nogil

cdef void nap_no_more(Idle* idle) noexcept nogil

cdef inline Idle busy(Parking* parking) noexcept nogil:
    """The state of a worker that has just had something to do."""
    cdef Idle idle
    idle.parking = parking
    idle.rounds = idle.nap = idle.watched = 0
    idle.announced = idle.woken = idle.late = False
    return idle

cdef inline void resume(Idle* idle) noexcept nogil:
    """There was something to do."""
    if idle.rounds > 0:
        if idle.announced:
            withdraw(idle.parking)
        idle[0] = busy(idle.parking)
