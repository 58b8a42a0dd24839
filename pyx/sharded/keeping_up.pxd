"""Plans without trials, for streams that cannot tell how fast a plan is, or that would wait behind a trial."""

from libc.stdint cimport int64_t
from streambench.pyx.sharded.cost_model cimport Pipeline
from streambench.pyx.sharded.given cimport Given
from streambench.pyx.sharded.looks cimport Looks
from streambench.pyx.sharded.plan cimport Cuts
from streambench.pyx.sharded.trials cimport Trials

cdef struct Alone:
    # One worker, at a rate, that was not enough once and is tried again.
    bint tried                  # just now
    int64_t since               # ticks; of the latest try, or when the plan was whole last
    int64_t held                # ticks; since then one worker has kept up, without a try
    double admitted             # stream tuples, when the try began
    double wait                 # ns in segments before it is tried; it has to keep up with as much of the stream
    int64_t late                # looks in a row in which more came than it did
    int64_t waited              # tuples that waited when the stream fell behind, or the constant ``late`` looks ago

cdef void expect_one_worker(Alone* alone, const Given* given, int64_t now) noexcept nogil
cdef void heed_one_worker(Alone* alone, Trials* trials, const Given* given, const Looks* looks, Cuts present, int64_t now,
                          double pace, int64_t behind, int64_t waiting) noexcept nogil
cdef Cuts keep_up(Trials* trials, Alone* alone, const Given* given, const Pipeline* pipeline, const Looks* looks,
                  Cuts present, int64_t now, double load, int64_t behind) noexcept nogil
