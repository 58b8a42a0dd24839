"""The cache lines that cores want from each other, and what one worker at a time can have."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from streambench.pyx.machine.simulated cimport PARKING
from streambench.pyx.simulate.timed_cores cimport TimedCores

cdef enum:
    LINE_BYTES = 64
    DATA = PARKING + 1           # behind the kinds of Line: what others have written, many lines of it at a time

cdef struct CacheLine:
    double free_at              # ns: until then others are served
    double taken                # ns for which it was on its way
    int kind                    # of Line, plus 1; 0: nobody has ever wanted it
    int writer
    uint64_t readers[4]         # a bit for each core that has it as it is

cdef struct Leaving:
    # A line that a core had alone and that another one has asked for: it has it until the request has come.
    uint64_t line
    double until                # ns

cdef struct Holding:
    # Of what one worker at a time can have.
    int kind                    # of Line
    int32_t place               # of the operator, of a turn
    double since                # ns: of who has it, or had it last
    double taken                # ns for which anybody had it

cdef class CoresWithLines(TimedCores):
    cdef:
        int per_socket
        int per_cluster
        unordered_map[uint64_t, CacheLine] lines
        unordered_map[uint64_t, Holding] held
        vector[Leaving] leaving             # by core, the last few, in turn
        uint64_t left                       # how many there have been
        double waited_for[DATA + 1]         # ns of all cores, by kind of line

    cdef void wait_for(self, int kind, double ns) noexcept nogil
    cdef double way(self, int one, int other) noexcept nogil
    cdef double way_from(self, const CacheLine* line, bint farthest) noexcept nogil
    cdef bint alone(self, const CacheLine* line, int core) noexcept nogil
    cdef void ask(self, const void* address, const CacheLine* line, double begun, double way) noexcept nogil
    cdef bint has_still(self, const void* address) noexcept nogil
