"""Plans without trials, for streams that cannot tell how fast a plan is, or that would wait behind a trial."""

from libc.stdint cimport int64_t
from streambench.pyx.ordered.cost_model cimport Pipeline
from streambench.pyx.ordered.terms cimport Terms
from streambench.pyx.ordered.looks cimport Looks
from streambench.pyx.ordered.plan cimport Cuts
from streambench.pyx.ordered.trials cimport Trials

cdef struct LoneWorker:
    # One worker, at a rate, where a plan of segments is the best once it is not enough.
    bint has_stream             # it has the stream
    int64_t without_since       # ticks; it has not had the stream since then
    double begin_tuples         # stream tuples, when it took the stream
    double retry_after_ns       # ns in segments before it is tried; by then it has to have kept
                                # up with as much of the stream
    bint catching_up            # segments work off what it has left
    double arrival_interval_ns  # ns from arrival to arrival, of what has come since the look before; 0 without a rate
    double load                 # part of its time that this would take
    int64_t last_high           # ticks; the latest look in which that was more than of one that is enough by far
    int64_t last_look           # ticks, of that look
    double arrived_tuples       # stream tuples, by then
    int64_t backlog             # tuples that waited then
    int64_t stuck_looks         # looks in a row by which no fewer waited
    int64_t earlier_backlog     # tuples that waited when the stream fell behind, or up to
                                # ``late`` looks (a constant) ago
    int64_t looks_since         # looks since then

cdef void expect_one_worker(LoneWorker* alone, const Terms* terms, int64_t now) noexcept nogil
cdef bint one_worker_again(LoneWorker* alone, const Trials* trials, const Terms* terms, const Looks* looks,
                           Cuts present, int64_t now, double one, int64_t behind, int64_t waiting) noexcept nogil
cdef bint is_calm(const LoneWorker* alone, const Terms* terms, int64_t now) noexcept nogil
cdef bint is_tried(const LoneWorker* alone, const Terms* terms, const Looks* looks) noexcept nogil
cdef Cuts keep_up(Trials* trials, const Terms* terms, const Pipeline* pipeline, const Looks* looks, Cuts present,
                  int64_t now, double load, int64_t behind) noexcept nogil
