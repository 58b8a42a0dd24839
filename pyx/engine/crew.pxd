"""The workers of a runtime, whatever they work on."""

from libc.stdint cimport int64_t
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.machine.padded cimport PaddedCounter
from streambench.pyx.machine.parking cimport Parking

cdef class Crew:
    cdef readonly StopToken token
    cdef PaddedCounter* stopped         # these two are the token's: a worker looks at them all the time
    cdef Parking* parking
    cdef Parking* caller                # where the thread sleeps that called `run`
    cdef int workers
    cdef tuple cores
    cdef readonly list unpinned         # cores that a worker could not be pinned to, after a run
    cdef readonly list accounts         # (CPU ns, voluntary, involuntary switches) of each worker that ran, after a run
    cdef PaddedCounter* running         # workers that have not returned yet
    cdef readonly int64_t begun_ns      # the start, by both clocks
    cdef readonly int64_t begun_ticks
    cdef int64_t ended_ns
    cdef void work(self, int number) noexcept nogil
    cdef int64_t progress(self) noexcept nogil
    cdef bint sign_off(self) noexcept nogil
    cdef int watch_while_running(self, watch) except -1
