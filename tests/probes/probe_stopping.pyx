"""A run that is stopped amid a unit: an operator that stops it, and what is dealt when it has been stopped."""

from libc.stdint cimport int32_t, int64_t
from streambench.pyx.engine.crew cimport Crew
from streambench.pyx.engine.stop_token cimport StopToken
from streambench.pyx.machine.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.partition.dealt cimport Dealt, deal, process_dealt
from streambench.pyx.tuples.columns cimport Columns, emit
from streambench.pyx.tuples.operator cimport Source, Stateful
from streambench.pyx.tuples.unit cimport Unit, begin_unit, clear_unit, init_unit


cdef class StopsAt(Stateful):
    """(value) -> (value). The ``nth`` call stops the run, from within; ``calls``: how many there have been."""
    cdef StopToken token
    cdef int64_t nth
    cdef readonly int64_t calls

    def __init__(self, int64_t nth):
        self.columns = ("value",)
        self.nth = nth

    def watch(self, Crew engine):
        self.token = engine.token

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        self.calls += 1
        if self.calls == self.nth:
            self.token.stop()
        for i in range(rows.n):
            row = emit(out)
            out.column[0][row] = rows.column[0][i]
        return -1


def made_by_shards(Source source, Dealt dealt, int64_t tuples, bint stopped) -> int:
    """So many tuples as one unit, dealt to all partitions: how many the first operator makes of
    them; ``stopped``: beforehand."""
    cdef Unit unit
    cdef PaddedCounter* told = new_counters(1)
    cdef int64_t made = 0
    cdef int32_t p
    init_unit(&unit)
    try:
        told.value.store(stopped)
        dealt.stopped = told
        begin_unit(&unit, 0)
        if source.claim(&unit, tuples) != tuples:
            raise ValueError("the source has fewer tuples")
        unit.arrived = tuples
        source.fill(&unit)
        dealt.share(True)
        deal(dealt, 1, &unit)
        for p in range(dealt.partitions):
            process_dealt(dealt, &unit.index.groups[p])
            made += unit.index.groups[p].given[1]
        return made
    finally:
        dealt.stopped = NULL
        clear_unit(&unit)
        delete_counters(told)
