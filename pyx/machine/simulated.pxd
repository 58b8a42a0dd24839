"""Where a simulated machine takes the real one's place: clock, work, cache lines and waiting.

The runtime's code calls these at the places that cost time. They are empty, but in the modules of ``streambench.sim``:
`setup.py` compiles the same sources once more for these, with STREAMBENCH_SIMULATED.
"""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.machine.clock cimport ticks

cdef extern from *:
    """
    #if defined(STREAMBENCH_SIMULATED)
    enum { streambench_is_told = 1 };
    #else
    enum { streambench_is_told = 0 };
    #endif
    """
    const bint is_told "streambench_is_told"        # is this module one of `streambench.sim`?

cpdef enum Work:
    FILL                # the source writes a unit's tuples
    APPLY               # a whole unit through an operator
    SCATTER             # a unit indexed by partition
    PROCESS             # a group of a unit through a partitioned operator
    GATHER              # its groups' outputs put together
    ADMIT               # the source asked for a unit's tuples, under the ingress lock
    FUSED               # and from here on: so many operators behind each other as one loop, from 2 up

cpdef enum Line:
    ADMISSION           # the ingress lock and what it guards
    SINK                # how far the output has come
    COUNTERS            # a stage's counters, as the scheduler reads them
    WORKLIST            # an end of a worklist
    PARTITION           # who is in a partition
    REORDER             # a reorder buffer
    UNIT                # how many groups of a unit are left
    TURN                # whose turn it is at a segment, or at eight of its shards
    READY               # which segment may take a unit
    PLAN                # the plan in force
    METERS              # what a worker has measured of an operator
    PARKING             # how many workers sleep

cdef class SimulatedMachine:
    cdef int64_t clock(self) noexcept nogil
    cdef void begin_work(self, int kind, int32_t place, const void* unit, int64_t tuples, int64_t bytes) noexcept nogil
    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil
    cdef void touch(self, int kind, const void* line, int how) noexcept nogil
    cdef void take_hold(self, int kind, int32_t place, const void* thing) noexcept nogil
    cdef void let_go(self, int kind, int32_t place, const void* thing) noexcept nogil
    cdef bint spend(self, int64_t ns) noexcept nogil
    cdef bint sleep(self, const void* address, int64_t ns) noexcept nogil
    cdef bint rouse(self, const void* address, int64_t n) noexcept nogil

cdef void* machine_here() noexcept nogil        # the calling thread's SimulatedMachine, borrowed; NULL: the real one
cdef void take_gil() noexcept nogil             # ``take_hold`` of the GIL, in any module: operators have no other

cdef enum:
    A_PAUSE = -1                    # for `spent`: what the machine takes for it
    A_YIELD = -2
    AN_ACCOUNT = -3                 # to ask the system how long a thread has waited

cdef enum:
    GIL = -1  # for `take_hold`: the interpreter's lock, which the piece of work in hand has to its end

cdef enum:
    # How a line is wanted.
    READ
    WRITTEN
    READ_WITH_OTHERS                # one of many lines that are on their way at a time

cdef inline int64_t present() noexcept nogil:
    """``ticks()``, of the machine that the calling thread runs on."""
    cdef void* machine = machine_here() if is_told else NULL
    return ticks() if machine is NULL else (<SimulatedMachine>machine).clock()

cdef inline void touch(int kind, const void* line) noexcept nogil:
    """The caller is about to write to a line that others want, too."""
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).touch(kind, line, WRITTEN)

cdef inline void look(int kind, const void* line) noexcept nogil:
    """The caller is about to read a line that others write."""
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).touch(kind, line, READ)

cdef inline void look_with_others(int kind, const void* line) noexcept nogil:
    """As ``look``, at one of many lines, of which none is waited for before the next one is asked for."""
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).touch(kind, line, READ_WITH_OTHERS)

cdef inline void take_hold(int kind, int32_t place, const void* thing) noexcept nogil:
    """The caller has what one worker at a time can have: a lock, or a turn at the operator at ``place``."""
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).take_hold(kind, place, thing)

cdef inline void let_go(int kind, int32_t place, const void* thing) noexcept nogil:
    cdef void* machine = machine_here() if is_told else NULL
    if machine is not NULL:
        (<SimulatedMachine>machine).let_go(kind, place, thing)

cdef inline bint spent(int64_t ns) noexcept nogil:
    """True: the caller has waited so long, on a simulated machine. False: it is for the caller to do so."""
    cdef void* machine = machine_here() if is_told else NULL
    return machine is not NULL and (<SimulatedMachine>machine).spend(ns)

cdef inline bint slept(const void* address, int64_t ns) noexcept nogil:
    """As ``spent``: until `roused`, at most so long."""
    cdef void* machine = machine_here() if is_told else NULL
    return machine is not NULL and (<SimulatedMachine>machine).sleep(address, ns)

cdef inline bint roused(const void* address, int64_t n) noexcept nogil:
    """As ``spent``: up to ``n`` sleepers at the address go on."""
    cdef void* machine = machine_here() if is_told else NULL
    return machine is not NULL and (<SimulatedMachine>machine).rouse(address, n)
