"""The workers' logs: a span for every visit, and nothing for the gaps between, in which a worker is idle.

Memory is bounded: a full log joins neighbouring spans, those that together fit in a resolution, and doubles
the resolution until half of the log is free. A joined span is called after the longest of its visits; no
unit and no working time is lost. Each log is allocated by itself, and its worker alone writes it: recording
one costs the others nothing.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memset
from streambench.pyx.machine.clock cimport ticks_per_second

import numpy as np

cdef enum:
    MOST = 16_384               # spans, 72 bytes each

COUNTS = ("units", "visits", "head", "tail", "shard")


cdef inline void join(Span* first, Span* second) noexcept nogil:
    """Let ``first`` stand for both."""
    first.end = second.end
    first.busy += second.busy
    first.units += second.units
    first.visits += second.visits
    if second.longest > first.longest:
        first.longest = second.longest
        first.head = second.head
        first.tail = second.tail
        first.shard = second.shard


cdef inline bint joins(WorkerLog* log, Span* span) noexcept nogil:
    """Does it fit in one span with the last one? If so, they are one now."""
    if log.n == 0 or span.end - log.spans[log.n - 1].begin > log.resolution:
        return False
    join(&log.spans[log.n - 1], span)
    return True


cdef void coarsen(WorkerLog* log) noexcept nogil:
    """Join until half of the log is free."""
    cdef int64_t held, k
    if log.resolution == 0:         # the mean distance of its spans
        log.resolution = (log.spans[log.n - 1].end - log.spans[0].begin) // log.most + 1
    while 2 * log.n > log.most:
        held = log.n
        log.resolution *= 2
        log.n = 0
        for k in range(held):
            if not joins(log, &log.spans[k]):
                log.spans[log.n] = log.spans[k]
                log.n += 1


cdef void add_span(WorkerLog* log, Span* span) noexcept nogil:
    """Append a span that begins where the last one has ended, or later."""
    if log.resolution > 0 and joins(log, span):
        return
    if log.n == log.most:
        coarsen(log)
    log.spans[log.n] = span[0]
    log.n += 1


cdef class WorkerLogs:
    """A log for each of ``workers``, of ``most`` spans (2 or more)."""

    def __cinit__(self, int workers, int64_t most=MOST):
        cdef WorkerLog* log
        if most < 2:
            raise ValueError("a log holds at least 2 spans")
        for _ in range(workers):
            log = <WorkerLog*>malloc(sizeof(WorkerLog))
            if log is NULL:
                raise MemoryError()
            memset(log, 0, sizeof(WorkerLog))
            self.logs.push_back(log)
            log.most = most
            log.spans = <Span*>malloc(most * sizeof(Span))
            if log.spans is NULL:
                raise MemoryError()

    def __dealloc__(self):
        cdef size_t k
        for k in range(self.logs.size()):
            free(self.logs[k].spans)
            free(self.logs[k])

    cdef WorkerLog* of(self, int number) noexcept nogil:
        return self.logs[number]

    def to_dict(self, int64_t begun_ticks) -> dict:
        """Return the spans as arrays, worker by worker in order of time.

        ``worker``; ``begin``, ``end``: seconds since the start; ``busy``: seconds of these that were work; ``units``
        that went through and ``visits`` it took; ``head``, ``tail``: through the operators head .. tail - 1; ``shard``
        of operator head, -1 for whole units, or -2 for what operator head was flushed of at end of stream.
        """
        cdef size_t k
        cdef int64_t i, row = 0, n = 0
        cdef Span* span
        for k in range(self.logs.size()):
            n += self.logs[k].n
        times = np.empty((3, n), dtype=np.int64)
        counts = np.empty((len(COUNTS), n), dtype=np.int64)
        worker = np.empty(n, dtype=np.int64)
        cdef int64_t[:, ::1] time = times, count = counts
        for k in range(self.logs.size()):
            worker[row : row + self.logs[k].n] = k
            for i in range(self.logs[k].n):
                span = &self.logs[k].spans[i]
                time[0, row], time[1, row], time[2, row] = span.begin - begun_ticks, span.end - begun_ticks, span.busy
                count[0, row], count[1, row], count[2, row] = span.units, span.visits, span.head
                count[3, row], count[4, row] = span.tail, span.shard
                row += 1
        seconds = times / ticks_per_second()
        named = zip(("begin", "end", "busy"), seconds, strict=True)
        return {"worker": worker, **dict(named), **dict(zip(COUNTS, counts, strict=True))}
