"""Workers that wait for a core."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.ordered.terms cimport Terms

cdef enum Heeded:
    NOTHING_NEW
    DISTURBED                   # somebody else is on a worker's core, and stays
    UNDISTURBED                 # no longer, or on fewer cores

cdef struct Waiting:
    bint bound                  # each worker is to stay on its core
    int32_t resting             # workers that are to rest, because somebody else has stayed;
                                # all but one: the plan is whole
    int64_t spells              # spans of time of late in which workers waited, less those in which they did not
    double waited_ns            # ns, of the latest looks, and
    double elapsed_ns           # the time of these
    double longest_ns[2]        # ns: the longest wait of a look, in this span of time and in the one before
    int64_t turned              # ticks; when this one began
    int64_t clear               # ticks; since when several workers have worked without waiting

cdef void expect_no_waiting(Waiting* waiting, int64_t now) noexcept nogil
cdef Heeded heed(Waiting* waiting, const Terms* terms, int64_t now, double elapsed, double waited,
                 int32_t working) noexcept nogil
cdef bint is_open(const Waiting* waiting, const Terms* terms, int32_t working) noexcept nogil
cdef double trial_span(const Waiting* waiting, const Terms* terms) noexcept nogil
