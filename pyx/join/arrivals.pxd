"""Tuples that arrive while a join runs, several physical streams a side: through a gate,
whose order cuts the batches."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.join.definition cimport Definition
from streambench.pyx.join.match_merge cimport BATCHES_AHEAD, MatchMerge
from streambench.pyx.join.ready cimport Ready
from streambench.pyx.join.ready_batch cimport MOST_READY
from streambench.pyx.join.scale_gate cimport ScaleGate
from streambench.pyx.machine.padded cimport PaddedCounter

cdef enum:                              # what became of the wish for a batch
    WAIT                                # nothing is ready, or somebody else is cutting
    KNOWN                               # it had been cut
    CUT                                 # now: others may sleep who wait for it
    OVER                                # there is none

cdef struct PhysicalStream:
    int32_t side
    const int64_t* ts
    const int64_t* row                  # of its side; below 0: not a tuple but a heartbeat
    const int64_t* due                  # ns since comparing begins; never decreases
    int64_t n
    int64_t next                        # theirs whose the turn is
    bint closed

cdef class Arrivals:
    cdef Definition definition
    cdef ScaleGate gate
    cdef list kept                      # the arrays
    cdef vector[PhysicalStream] streams
    cdef PaddedCounter* turn            # 1: somebody feeds the gate and reads it
    cdef PaddedCounter* cut             # batches before it have an end; who has the turn writes
    cdef PaddedCounter* over            # 1 more than there are batches, once that is known; before, 0
    cdef PaddedCounter* due             # ns by the clock, when the next tuple arrives; 0: not known
    cdef int64_t ends[BATCHES_AHEAD]    # by batch: positions; written before `cut` is, read after
    # What follows is theirs whose the turn is.
    cdef int64_t position
    cdef int64_t row[2]                 # the next one of each side
    cdef vector[int64_t] all_ends
    cdef Ready ready[MOST_READY]
    cdef readonly int64_t begun_ns      # comparing began, by the clock; 0: not yet
    cdef readonly bint disordered       # the gate's order is not the sides'
    cdef size_t keep(self, array) except? 0
    cdef int32_t end_of(self, int64_t batch, int32_t at_most, MatchMerge results, int64_t* end) noexcept nogil
    cdef int32_t make(self, int64_t batch, int32_t at_most, MatchMerge results) noexcept nogil
    cdef void feed(self) noexcept nogil
    cdef int64_t read(self, int32_t at_most) noexcept nogil
    cdef int64_t until_due(self) noexcept nogil
