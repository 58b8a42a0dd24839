"""Where a worker with nothing to do sleeps: an event count. Nothing is slept through, and publishing costs one load.

A worker that has looked everywhere and found nothing::

    announce(parking)
    if there_is_work_after_all():           # one more look at everything, by seq_cst loads
        withdraw(parking)
    else:
        park(parking, timeout_ns)           # True: woken. In any case look again; it may return for no reason

A worker that has made work for others, freed what they may wait for, ended or stopped::

    work.store(1, memory_order_seq_cst)     # or a seq_cst read-modify-write: what the look above reads
    wake_one(parking)                       # or wake_all(parking)

To announce and then look, to publish and then load the number of sleepers, is Dekker's pattern: with all four accesses
sequentially consistent at least one of the two workers sees the other.
"""

from libc.stdint cimport int64_t, uint32_t
from libcpp.atomic cimport atomic, memory_order_seq_cst
from streambench.pyx.machine.simulated cimport PARKING, look, touch

cdef extern from "parking.h":
    cppclass Parking "streambench::Parking" nogil:
        # Sleepers that nobody has woken, and permits: wake-ups that nobody has taken. Together they are the workers
        # from `announce` to `withdraw` or the end of `park`, so each of these finds one of the two to take with it.
        atomic[uint32_t] state
        atomic[uint32_t] watched    # 1 while one of the sleepers keeps watch, see idle.pxd

    Parking* new_parking "streambench::new_parking"() except +
    void delete_parking "streambench::delete_parking"(Parking* parking) noexcept nogil
    void sleep_while "streambench::sleep_while"(Parking* parking, uint32_t state, int64_t ns) noexcept nogil
    void rouse "streambench::rouse"(Parking* parking, uint32_t n) noexcept nogil

cdef enum:
    SLEEPER = 1
    SLEEPERS = 0xFFFF
    PERMIT = 0x10000

cdef void withdraw(Parking* parking) noexcept nogil
cdef bint park(Parking* parking, int64_t timeout_ns) noexcept nogil
cdef void wake(Parking* parking, uint32_t at_most) noexcept nogil

cdef inline void announce(Parking* parking) noexcept nogil:
    touch(PARKING, parking)
    parking.state.fetch_add(SLEEPER, memory_order_seq_cst)          # pairs with the loads below

cdef inline void wake_one(Parking* parking) noexcept nogil:
    look(PARKING, parking)
    if parking.state.load(memory_order_seq_cst) & SLEEPERS:         # pairs with `announce`
        wake(parking, 1)

cdef inline void wake_all(Parking* parking) noexcept nogil:
    look(PARKING, parking)
    if parking.state.load(memory_order_seq_cst) & SLEEPERS:
        wake(parking, SLEEPERS)
