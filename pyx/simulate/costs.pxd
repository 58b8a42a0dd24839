"""What work takes: samples of a profile run, drawn from by chance."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.simulated cimport FUSED

cdef enum:
    PLACES = 24             # as many as a pipeline has operators
    KINDS = FUSED + PLACES + 1      # of Work: FUSED and n for n operators as one loop
    UNKNOWN = -1
    SIZES = 18              # by the bits of the number of tuples: 0, 1, 2 to 3, 4 to 7, ...
    MOVES = 8               # by what another core has written since this one last did, and by the plan: a sum of Moved

cpdef enum Moved:
    UNIT_MOVED = 1          # the unit
    STATE_MOVED = 2         # the operator's state, of the partition where it has such
    PLAN_WHOLE = 4          # nothing of these: the worker brings one unit after the other to
                            # the sink, with no turn between

cdef struct Sample:
    double before           # ns from the end of the work before it to its beginning: what the runtime itself takes
    double during           # ns
    double tuples           # UNKNOWN: of a piece of work that was never measured
    int moved               # what had been moved as it was measured, a sum of Moved

cdef class Costs:
    cdef vector[Sample] samples
    cdef vector[int64_t] first          # by table: where its samples begin, and how many there are
    cdef vector[int64_t] count
    cdef void stand_in(self, int64_t missing, int64_t other)
    cdef Sample draw(self, int kind, int32_t place, int64_t tuples, int moved, uint64_t* random) noexcept nogil
    cdef Sample draw_one(self, int kind, int32_t place, int64_t tuples, int moved, uint64_t* random) noexcept nogil
    cdef uint64_t drawn(self, int64_t table, uint64_t* random) noexcept nogil

cdef inline int size_class(int64_t tuples) noexcept nogil:
    cdef int bits = 0
    while tuples > 0 and bits < SIZES - 1:
        tuples >>= 1
        bits += 1
    return bits
