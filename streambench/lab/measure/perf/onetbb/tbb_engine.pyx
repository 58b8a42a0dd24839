"""Our operators in oneTBB's ordered pipeline: see ``ordered_pipeline.h``."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libcpp.vector cimport vector
from streambench.pyx.engine.end_of_stream cimport EndOfStream
from streambench.pyx.machine.clock cimport ticks, ticks_per_second
from streambench.pyx.tuples.apply cimport STATELESS, apply, kind_of
from streambench.pyx.tuples.operator cimport Operator, Source
from streambench.pyx.tuples.unit cimport MAX_OPERATORS, Unit, begin_unit, clear_unit, init_unit

import numpy as np

cdef extern from "ordered_pipeline.h" namespace "onetbb" nogil:
    ctypedef bint (*Next)(void*, int64_t) noexcept nogil
    ctypedef void (*Step)(void*, int64_t, int32_t) noexcept nogil
    void ordered_pipeline(void* of, Next next, Step step, const vector[char]& parallel, int threads,
                          int64_t live) except +


cdef class TbbEngine:
    """``operators``: source, operators, sink, prepared for 1 partition. Consecutive stateless ones are one parallel
    filter, every other one is a filter that is serial and in order; the last of these takes the sink along.
    """

    cdef list operators
    cdef void* at[MAX_OPERATORS]
    cdef int kinds[MAX_OPERATORS]
    cdef int32_t n
    cdef vector[char] parallel
    cdef vector[int32_t] begins         # of each filter the place of its first operator, and the end of the last
    cdef Unit* units                    # slot by slot
    cdef int64_t live
    cdef int64_t unit_size
    cdef int64_t serial                 # written by the source's filter
    cdef int64_t position
    cdef vector[int64_t] entered        # by slot, ticks
    cdef vector[int64_t] waits          # written by the last filter
    cdef EndOfStream end

    def __cinit__(self, list operators, int64_t unit_size, int64_t live):
        cdef int32_t place
        cdef int64_t slot
        self.operators = operators
        self.unit_size, self.live = unit_size, live
        self.n = <int32_t>len(operators)
        for place in range(self.n):
            self.at[place] = <void*>operators[place]
            self.kinds[place] = kind_of(operators[place])
        for place in range(1, self.n - 1):
            if self.kinds[place] != STATELESS or place == 1 or self.kinds[place - 1] != STATELESS:
                self.begins.push_back(place)
                self.parallel.push_back(self.kinds[place] == STATELESS)
        if self.parallel.empty() or self.parallel.back():       # the sink is not parallel
            self.begins.push_back(self.n - 1)
            self.parallel.push_back(False)
        self.begins.push_back(self.n)
        self.entered.resize(live)
        self.end = EndOfStream(operators)
        self.units = <Unit*>calloc(live, sizeof(Unit))
        if self.units == NULL:
            raise MemoryError
        for slot in range(live):
            init_unit(&self.units[slot])

    def __dealloc__(self):
        cdef int64_t slot
        if self.units != NULL:
            for slot in range(self.live):
                clear_unit(&self.units[slot])
            free(self.units)

    def run(self, int threads):
        """Execute it; returns the seconds that each unit took from the first operator until the sink had processed it.

        Raises RuntimeError for a tuple that an operator refuses.
        """
        cdef int64_t slot
        with nogil:
            ordered_pipeline(<void*>self, next_unit, run_filter, self.parallel, threads, self.live)
            self.flush()
        for slot in range(self.live):
            if self.units[slot].failed_operator >= 0:
                raise RuntimeError("an operator refused a tuple")
        return np.array(self.waits, dtype=float) / ticks_per_second()

    cdef bint next_unit(self, int64_t slot) noexcept nogil:
        cdef Unit* unit = &self.units[slot]
        cdef int64_t n
        begin_unit(unit, self.serial)
        n = (<Source>self.at[0]).claim(unit, self.unit_size)
        if n < 0:
            return False
        unit.first = self.position
        unit.arrived = n
        self.position += n
        self.serial += 1
        return True

    cdef void run_filter(self, int64_t slot, int32_t filter) noexcept nogil:
        if filter == 0:                     # side by side where that filter is parallel
            (<Source>self.at[0]).fill(&self.units[slot])
            self.entered[slot] = ticks()
        self.run_from(&self.units[slot], self.begins[filter], self.begins[filter + 1])
        if filter + 1 == <int32_t>self.parallel.size():
            self.waits.push_back(ticks() - self.entered[slot])

    cdef void run_from(self, Unit* unit, int32_t begin, int32_t end) noexcept nogil:
        cdef int32_t place
        for place in range(begin, end):
            apply(<Operator>self.at[place], self.kinds[place], place, unit)

    cdef void flush(self) noexcept nogil:
        """What operators still hold, by one thread: nothing is under way any more."""
        cdef Unit* unit = &self.units[0]
        cdef int32_t place
        self.end.begin()
        while self.end.place() > 0:
            place = self.end.place()
            begin_unit(unit, self.serial)
            if self.end.flush(unit, self.unit_size):
                self.serial += 1
                self.run_from(unit, place + 1, self.n)


cdef bint next_unit(void* of, int64_t slot) noexcept nogil:
    return (<TbbEngine>of).next_unit(slot)


cdef void run_filter(void* of, int64_t slot, int32_t filter) noexcept nogil:
    (<TbbEngine>of).run_filter(slot, filter)
