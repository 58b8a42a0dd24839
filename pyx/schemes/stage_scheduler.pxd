"""Asks a heuristic which stage a worker should go to."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.machine.padded cimport CounterLine, PaddedCounter
from streambench.pyx.schemes.scheduler cimport Asker, Heuristic
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

cdef struct Watched:
    # Where a decision reads what it needs of a stage, without going to the stage itself.
    CounterLine* counters
    PaddedCounter* enqueued
    int64_t max_workers

cdef class StageScheduler:
    cdef readonly list stages
    cdef void* stage_at[MAX_OPERATORS]          # the same, borrowed
    cdef Watched watched[MAX_OPERATORS]
    cdef int32_t n_stages
    cdef readonly Heuristic heuristic
    cdef double time_slice                      # ticks
    cdef int64_t window                         # ticks
    cdef PaddedCounter* window_end              # tick at which the current window ends
    cdef int32_t choose(self, int64_t vain, int64_t now, const Asker* asker) noexcept nogil
    cdef void begin_window(self, int64_t now) noexcept nogil
    cdef int64_t budget(self, int32_t chosen, int64_t unit_size) noexcept nogil
