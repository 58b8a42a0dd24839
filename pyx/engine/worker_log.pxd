"""What each worker did when, in the order in which it did it. One writer each, so nothing here is atomic."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector
from streambench.pyx.machine.simulated cimport present

cdef enum:
    # Instead of a shard.
    WHOLE_UNITS = -1
    FLUSHED = -2                # at end of stream: what operator head still held, and what the next ones made of it

cdef struct Span:
    # One visit, or neighbouring ones that were joined.
    int64_t begin               # ticks
    int64_t end
    int64_t busy                # ticks of these that were work: less than end - begin only where visits were joined
    int64_t longest             # ticks of the longest visit: head, tail and shard are that one's
    int64_t units
    int64_t visits
    int32_t head                # operators head .. tail - 1
    int32_t tail
    int32_t shard               # of operator head, or WHOLE_UNITS or FLUSHED

cdef struct WorkerLog:
    Span* spans
    int64_t n
    int64_t most
    int64_t resolution          # ticks: what fits in that is joined; 0 until the log was full once
    char apart[128]             # from the next worker's: `n` is written at every visit

cdef void add_span(WorkerLog* log, Span* span) noexcept nogil

cdef inline int64_t begin_span(WorkerLog* log) noexcept nogil:
    """The tick at which a visit begins; ``log`` is NULL where nothing is recorded."""
    return present() if log is not NULL else 0

cdef inline void end_span(WorkerLog* log, int64_t begun, int32_t head, int32_t tail, int32_t shard,
                          int64_t units) noexcept nogil:
    """The visit that began then is over: it brought ``units`` through the operators ``head`` .. ``tail`` - 1."""
    cdef Span span
    if log is NULL:
        return
    span.begin = begun
    span.end = present()
    span.busy = span.longest = span.end - begun
    span.units = units
    span.visits = 1
    span.head = head
    span.tail = tail
    span.shard = shard
    add_span(log, &span)

@cython.final
cdef class WorkerLogs:
    cdef vector[WorkerLog*] logs
    cdef WorkerLog* of(self, int number) noexcept nogil
