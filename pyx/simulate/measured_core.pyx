"""The real machine, as a profile run sees it: one worker, whose every piece of work is timed.

What it costs to work on what another core has written last is measured by the same worker, which then changes the core
it runs on every now and then: what it finds in the other core's caches is what another worker would have left there.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.clock cimport nanoseconds, ticks, ticks_per_second
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.simulated cimport APPLY, PROCESS, TURN, SimulatedMachine, machine_here, touch
from streambench.pyx.machine.threads cimport pin_to_core
from streambench.pyx.simulate.costs cimport MOVES, PLAN_WHOLE, STATE_MOVED, UNIT_MOVED

import numpy as np

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef enum:
    AT_ONCE = 1 << 16           # pieces from one look at signals to the next
    MOST = 1 << 18              # pieces of work that are kept: then one of each two goes, by chance
    STAY_NS = 150_000           # about so long on a core, then to the other one
    ENOUGH = 16                 # pieces whose instructions a core knew already: then those do not count that it did not
    EMPTY = 1000                # looks and empty pieces by which is measured what the measuring takes


cdef struct Timed:
    int64_t kind
    int64_t place
    int64_t tuples
    int64_t before              # ticks
    int64_t during
    int64_t calls               # of the seam before it, which a thread that is not simulated does not make
    int64_t moved
    bint cold                   # the first piece of its kind and operator on this core since the worker came back to it


cdef class MeasuredCore(SimulatedMachine):
    """Runs a crew of one worker in the calling thread and keeps what each piece of its work took.

    ``cores``: two that the worker runs on by turns, where only pieces on what the other has written last are kept;
    none: it stays where the system puts it, and all are kept. The thread's affinity is for the caller to restore.
    """

    cdef vector[Timed] timed
    cdef int64_t ended              # the tick at which the last piece of work ended
    cdef int64_t begun
    cdef int64_t step, next_kept    # of the pieces one in so many is kept, by chance: kinds of work come in turn
    cdef Crew crew
    cdef object error               # what a signal's handler has raised
    cdef int cores[2]
    cdef bint moves
    cdef int plan                   # PLAN_WHOLE, while the worker has all of the pipeline
    cdef int here                   # 0 or 1
    cdef int64_t leave_at           # ticks
    cdef int64_t stay
    cdef uint64_t random
    cdef int64_t calls
    cdef unordered_map[uint64_t, int] unit_at       # the core that wrote it last
    cdef unordered_map[uint64_t, int] state_at
    cdef unordered_map[uint64_t, int64_t] known     # by kind and operator: the stay in which there
                                                    # was a piece of it last
    cdef int64_t stays
    cdef readonly int64_t pieces
    cdef readonly double seconds

    def __init__(self, tuple cores=()):
        if len(cores) not in (0, 2):
            raise ValueError(f"a worker moves between 2 cores, not {len(cores)}")
        self.moves = len(cores) == 2
        if self.moves:
            self.cores[0], self.cores[1] = cores
        self.stay = <int64_t>(<double>STAY_NS * 1e-9 * ticks_per_second())
        self.random = 1

    def run_crew(self, crew, watch):
        """As ``Crew.run`` of one worker."""
        cdef Crew run = crew
        cdef bint fine
        if run.workers != 1:
            raise ValueError(f"a profile run has 1 worker, not {run.workers}")
        self.crew = run
        self.step = 1
        run.begun_ns = nanoseconds()
        run.begun_ticks = ticks()
        run.begin()
        self.ended = ticks()
        with nogil:
            fine = has_memory(work, <void*>run)
        run.ended_ns = nanoseconds()
        self.seconds = run.seconds
        self.crew = None
        if self.error is not None:
            raise self.error
        if not fine:
            raise MemoryError(OUT_OF_MEMORY)

    cdef void begin_work(self, int kind, int32_t place, const void* unit, int64_t tuples, int64_t bytes) noexcept nogil:
        self.begun = ticks()

    cdef void touch(self, int kind, const void* line, int how) noexcept nogil:
        self.calls += 1

    cdef void take_hold(self, int kind, int32_t place, const void* thing) noexcept nogil:
        if kind == TURN and place == 0:
            self.plan = PLAN_WHOLE

    cdef void let_go(self, int kind, int32_t place, const void* thing) noexcept nogil:
        if kind == TURN and place == 0:
            self.plan = 0

    cdef int64_t clock(self) noexcept nogil:
        self.calls += 1
        return ticks()

    cdef int moved(self, int kind, int32_t place, int64_t part, const void* unit) noexcept nogil:
        """Which of a piece's data the other core has written last; from now on it is this one."""
        cdef uint64_t state = <uint64_t>place << 32 | <uint64_t>part
        cdef int flags = 0
        if self.unit_at.find(<uint64_t>unit) != self.unit_at.end() and self.unit_at[<uint64_t>unit] != self.here:
            flags = UNIT_MOVED
        if kind != PROCESS:             # as of the simulated: what others read of the unit is where it was
            self.unit_at[<uint64_t>unit] = self.here
        if kind == PROCESS or kind == APPLY:
            if self.state_at.find(state) != self.state_at.end() and self.state_at[state] != self.here:
                flags += STATE_MOVED
            self.state_at[state] = self.here
        return flags

    cdef void change_core(self) noexcept nogil:
        """To the other one, after a time on the former that nobody can have expected."""
        self.here = 1 - self.here
        self.stays += 1
        pin_to_core(self.cores[self.here])
        self.leave_at = ticks() + self.stay // 2 + <int64_t>self.by_chance() % self.stay

    cdef uint64_t by_chance(self) noexcept nogil:
        """31 bits."""
        self.random = self.random * <uint64_t>0x5851F42D4C957F2D + <uint64_t>0x14057B7EF767814F
        return self.random >> 33

    cdef bint is_cold(self, int kind, int32_t place) noexcept nogil:
        """Does the core get to know the operator's instructions only now, as it would not if
        it had a worker of its own?"""
        cdef uint64_t which = <uint64_t>kind << 32 | <uint64_t>place
        cdef bint cold = self.known.find(which) == self.known.end() or self.known[which] != self.stays
        self.known[which] = self.stays
        return cold

    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil:
        cdef int64_t now = ticks(), k
        cdef int moved = self.moved(kind, place, part, unit) if self.moves else 0
        cdef bint cold = self.moves and self.is_cold(kind, place)
        if self.moves and moved == 0:
            self.next_kept = max(self.next_kept, self.pieces + 1)
        if self.pieces == self.next_kept:
            if <int64_t>self.timed.size() == MOST:
                for k in range(MOST // 2):
                    self.timed[k] = self.timed[2 * k + <int64_t>(self.by_chance() & 1)]
                self.timed.resize(MOST // 2)
                self.step *= 2
            self.next_kept = self.pieces + 1 + <int64_t>(self.by_chance() % <uint64_t>(2 * self.step - 1))
            self.timed.push_back(
                Timed(kind, place, tuples, self.begun - self.ended, now - self.begun, self.calls, moved + self.plan,
                      cold))
        self.pieces += 1
        if self.pieces % AT_ONCE == 0:
            self.look_up()
        if self.moves and now > self.leave_at:
            self.change_core()
        self.calls = 0
        self.ended = ticks()

    cdef void look_up(self) noexcept nogil:
        with gil:
            try:
                PyErr_CheckSignals()
            except BaseException as error:
                self.error = error
                self.crew.token.stop()

    def rows(self):
        """Return what ``Costs`` is made of: (kind, place, tuples, moved) and (ns before, ns
        during) of the pieces of work kept.

        What the measuring itself takes is left out: the looks at the clock, and the calls that tell of a piece's
        beginning and end and of lines, which a worker that is not simulated does not make.
        """
        cdef Py_ssize_t k, n = self.timed.size()
        work = np.empty((n, 4), dtype=np.int64)
        spans = np.empty((n, 2), dtype=np.float64)
        cdef int64_t[:, ::1] to_work = work
        cdef double[:, ::1] to_spans = spans
        cdef double ns = 1e9 / ticks_per_second()
        cdef double before, during, call
        before, during, call = measuring_takes()
        for k in range(n):
            to_work[k, 0] = self.timed[k].kind
            to_work[k, 1] = self.timed[k].place
            to_work[k, 2] = self.timed[k].tuples
            to_work[k, 3] = self.timed[k].moved
            to_spans[k, 0] = max(0.0, self.timed[k].before - before - self.timed[k].calls * call) * ns
            to_spans[k, 1] = max(0.0, self.timed[k].during - during) * ns
        usual = self.not_cold(work)
        return work[usual], spans[usual]

    def not_cold(self, work):
        """Which pieces were not cold; or all of a kind and operator, moved in the same way, of
        which there are not enough."""
        cdef Py_ssize_t k, n = self.timed.size()
        usual = np.ones(n, dtype=np.bool_)
        for k in range(n):
            usual[k] = not self.timed[k].cold
        if self.moves and not usual.all():
            same = (work[:, 0] * 256 + work[:, 1]) * <int>MOVES + work[:, 3]
            usual |= np.bincount(same, weights=usual)[same] < ENOUGH
        return usual


cdef tuple measuring_takes():
    """The ticks that are counted before and during an empty piece of work, and those of a call that tells of a line."""
    cdef MeasuredCore core = MeasuredCore()
    cdef int64_t k, begun, line = 0
    cdef void* machine
    calls = []
    with core:
        for _ in range(9):
            begun = ticks()
            for k in range(EMPTY):
                touch(0, &line)
            calls.append((ticks() - begun) / <double>EMPTY)
        core.step, core.next_kept, core.pieces = 1, 0, 0
        core.ended = ticks()
        with nogil:
            for k in range(EMPTY):
                # As `work.pxd` of the engine does it.
                machine = machine_here()
                if machine is not NULL:
                    (<SimulatedMachine>machine).begin_work(APPLY, 0, &line, 1, 0)
                machine = machine_here()
                if machine is not NULL:
                    (<SimulatedMachine>machine).end_work(APPLY, 0, 0, &line, 1)
    return (float(np.median([core.timed[k].before for k in range(EMPTY)])),
            float(np.median([core.timed[k].during for k in range(EMPTY)])), min(calls))


cdef void work(void* crew) noexcept nogil:
    (<Crew>crew).work(0)
