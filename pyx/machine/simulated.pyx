"""The seam of the simulator: what a simulated machine does in the real one's stead, and which thread runs on one.

Nothing of the runtime is written again for a simulation: its workers run as they are, with their decisions, queues and
locks, and say at the places below what takes time. The default methods are those of a machine that adds nothing.
"""

from streambench.pyx.machine.clock cimport ticks, ticks_per_second

cdef extern from "own_machine.h":
    void* get_machine "streambench::get_machine"() noexcept nogil
    void set_machine "streambench::set_machine"(void* machine) noexcept nogil


cdef void* machine_here() noexcept nogil:
    return get_machine()


cdef void take_gil() noexcept nogil:
    if get_machine() is not NULL:
        (<SimulatedMachine>get_machine()).take_hold(GIL, 0, NULL)


def current():
    """Return the simulated machine that the calling thread runs on, or None."""
    return None if get_machine() is NULL else <object>get_machine()


def ticks_of_a_second() -> float:
    """Return how many ticks of ``present`` make a second, on the machine that the calling thread runs on."""
    return getattr(current(), "ticks_of_a_second", None) or ticks_per_second()


cdef class SimulatedMachine:
    """Base. ``with machine:`` crews that the calling thread runs are run by ``run_crew``, in no other threads."""

    def __enter__(self):
        if get_machine() is not NULL:
            raise RuntimeError("this thread runs on a simulated machine already")
        set_machine(<void*>self)
        return self

    def __exit__(self, *error):
        set_machine(NULL)

    def run_crew(self, crew, watch):
        """Do all that the crew's workers do, and return when all have returned."""
        raise NotImplementedError

    def core_costs(self, int workers):
        """Return what the cores of so many workers take to share, as a controller is told;
        None: nothing is known of it."""
        return None

    cdef int64_t clock(self) noexcept nogil:
        """The time, in ticks."""
        return ticks()

    cdef void begin_work(self, int kind, int32_t place, const void* unit, int64_t tuples, int64_t bytes) noexcept nogil:
        """The calling worker begins to work on ``tuples`` of a unit, of which it reads ``bytes``;
        ``place``: of the operator."""
        pass

    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil:
        """The work is done. ``part``: the partition, of PROCESS; ``tuples``: that it was given."""
        pass

    cdef void touch(self, int kind, const void* line, int how) noexcept nogil:
        """The calling worker is about to read or write the line, which returns when the line is there."""
        pass

    cdef void take_hold(self, int kind, int32_t place, const void* thing) noexcept nogil:
        """From now on the calling worker has what one at a time can have. ``kind``: of Line."""
        pass

    cdef void let_go(self, int kind, int32_t place, const void* thing) noexcept nogil:
        """No longer."""
        pass

    cdef bint spend(self, int64_t ns) noexcept nogil:
        """The calling worker does nothing for so long (or `A_PAUSE`, `A_YIELD`, `AN_ACCOUNT`).
        False: let it really do so."""
        return False

    cdef bint sleep(self, const void* address, int64_t ns) noexcept nogil:
        """The calling worker sleeps until it is roused, at most so long. False: let it really do so."""
        return False

    cdef bint rouse(self, const void* address, int64_t n) noexcept nogil:
        """Up to ``n`` sleepers at the address go on. False: there are none that are simulated."""
        return False
