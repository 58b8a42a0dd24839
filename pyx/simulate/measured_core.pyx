"""The real machine, as a profile run sees it: one worker, whose every piece of work is timed."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.machine.clock cimport nanoseconds, ticks, ticks_per_second
from streambench.pyx.machine.memory cimport has_memory
from streambench.pyx.machine.simulated cimport SimulatedMachine
from streambench.pyx.simulate.clock_read cimport clock_read

import numpy as np

from streambench.pyx.machine.memory import OUT_OF_MEMORY

cdef enum:
    AT_ONCE = 1 << 16           # pieces from one look at signals to the next
    MOST = 1 << 18              # pieces of work that are kept: then every second one goes


cdef struct Timed:
    int64_t kind
    int64_t place
    int64_t tuples
    int64_t before              # ticks
    int64_t during


cdef class MeasuredCore(SimulatedMachine):
    """Runs a crew of one worker in the calling thread and keeps what each piece of its work took."""

    cdef vector[Timed] timed
    cdef int64_t ended              # the tick at which the last piece of work ended
    cdef int64_t begun
    cdef int64_t step, next_kept    # of the pieces every so-many-th is kept
    cdef Crew crew
    cdef object error               # what a signal's handler has raised
    cdef readonly int64_t pieces
    cdef readonly double seconds

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

    cdef void end_work(self, int kind, int32_t place, int64_t part, const void* unit, int64_t tuples) noexcept nogil:
        cdef int64_t now = ticks(), k
        if self.pieces == self.next_kept:
            if <int64_t>self.timed.size() == MOST:
                for k in range(MOST // 2):
                    self.timed[k] = self.timed[2 * k]
                self.timed.resize(MOST // 2)
                self.step *= 2
            self.next_kept = self.pieces + self.step
            self.timed.push_back(Timed(kind, place, tuples, self.begun - self.ended, now - self.begun))
        self.pieces += 1
        if self.pieces % AT_ONCE == 0:
            self.look_up()
        self.ended = ticks()

    cdef void look_up(self) noexcept nogil:
        with gil:
            try:
                PyErr_CheckSignals()
            except BaseException as error:
                self.error = error
                self.crew.token.stop()

    def rows(self):
        """Return what ``Costs`` is made of: (kind, place, tuples) and (ns before, ns during) of the pieces of work kept."""
        cdef Py_ssize_t k, n = self.timed.size()
        work = np.empty((n, 3), dtype=np.int64)
        spans = np.empty((n, 2), dtype=np.float64)
        cdef int64_t[:, ::1] to_work = work
        cdef double[:, ::1] to_spans = spans
        cdef double ns = 1e9 / ticks_per_second()
        cdef int64_t read = clock_read()
        for k in range(n):
            to_work[k, 0] = self.timed[k].kind
            to_work[k, 1] = self.timed[k].place
            to_work[k, 2] = self.timed[k].tuples
            to_spans[k, 0] = max(<int64_t>0, self.timed[k].before - read) * ns
            to_spans[k, 1] = max(<int64_t>0, self.timed[k].during - read) * ns
        return work, spans


cdef void work(void* crew) noexcept nogil:
    (<Crew>crew).work(0)
