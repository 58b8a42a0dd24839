"""The end of a pipeline: progress, markers, and the first tuple in order that was refused."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.machine.padded cimport CounterLine, PaddedCounter
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit

cdef enum:
    # Places on the line of the markers that have left.
    MARKERS             # how many
    MARKER_TICKS        # from their entry to their exit, summed
    # Of markers by how long they were under way: bound k is 2**(k + SHORTEST_BITS) ticks, the last one none.
    LATENCY_BOUNDS = 32
    SHORTEST_BITS = 10

cdef struct Laps:
    # Consecutive laps of which each gave each operator as many tuples.
    int64_t count
    int64_t given[MAX_OPERATORS]

cdef class Egress:
    cdef StopToken token
    cdef PaddedCounter* done            # units that have reached the sink: the next serial number it expects
    cdef PaddedCounter* tuples          # ingress tuples that these held
    cdef PaddedCounter* stopped         # the token's. 1: no further unit may reach the sink
    cdef CounterLine* seen              # of the markers that have left, for who looks while the run lasts
    cdef CounterLine* latencies         # the same, by bound
    cdef int64_t marked_interval        # ingress tuples from one marker to the next where
                                        # tuples are admitted, never changed
    cdef int64_t marker_interval        # and where they leave: as many or, in the end, a multiple of that
    cdef int64_t next_marked            # the ingress index of the next marker; written where tuples are admitted
    cdef int64_t next_marker            # its number; written, as all below, by the worker that holds the sink
    cdef vector[int64_t] entered        # per marker, ticks
    cdef vector[int64_t] operated
    cdef vector[int64_t] left
    cdef int32_t operators              # how many there may be
    cdef int64_t tuples_in[MAX_OPERATORS]       # of the units that have left: exact at every unit, which meters are not
    cdef int64_t lap                    # ingress tuples of one lap
    cdef int64_t lap_end                # the ingress index at which the current lap ends; -1: laps are not counted
    cdef int64_t before_lap[MAX_OPERATORS]      # `tuples_in` as it began
    cdef vector[Laps] laps
    cdef Unit* failed
    cdef void mark(self, Unit* unit) noexcept nogil
    cdef void deliver(self, Unit* unit) noexcept nogil
    cdef void count_marker(self, int64_t under_way) noexcept nogil
    cdef void end_lap(self) noexcept nogil
    cdef void thin(self) noexcept nogil
