"""The end of a stream: each operator that may hold state is flushed in turn, unit by unit.

What it emits takes the next serial numbers and enters behind it. When an operator may be flushed, after all that was
before has left it, is for the engine to know.
"""

from streambench.pyx.engine.stop_token cimport CUT
from streambench.pyx.machine.padded cimport delete_counters, new_counters
from streambench.pyx.tuples.columns cimport reset_as
from streambench.pyx.tuples.operator cimport Operator, Stateless
from streambench.pyx.tuples.unit cimport swap


cdef class EndOfStream:
    """Of ``operators``, from the source to the sink, of which neither is flushed; ``token``: what may end it early."""

    def __cinit__(self, list operators, StopToken token=None):
        cdef int32_t place
        self.token, self.source = token, operators[0] if operators else None
        self.phase = new_counters(1)
        self.phase.value.store(-1)
        for place in range(1, len(operators) - 1):
            if not isinstance(operators[place], Stateless):
                self.holders[self.n] = <void*>operators[place]
                self.places[self.n] = place
                self.n += 1

    def __dealloc__(self):
        delete_counters(self.phase)

    cdef void begin(self) noexcept nogil:
        self.cut = self.token is not None and self.token.ending.value.load(memory_order_relaxed) == CUT
        self.phase.value.store(self.n if self.cut or self.has_failed() else 0, memory_order_relaxed)

    cdef bint has_failed(self) noexcept with gil:
        return getattr(self.source, "error", None) is not None

    cdef bint flush(self, Unit* unit, int64_t at_most) noexcept nogil:
        """Fill the empty unit with about ``at_most`` tuples that the operator at ``place`` still holds.

        False: it holds none, and it is the next one's turn. An operator that fails is the last one that is flushed:
        what it emitted before goes on, and stops the run at the sink.
        """
        cdef int64_t phase = self.phase.value.load(memory_order_relaxed)
        cdef void* holder = self.holders[phase]
        reset_as(unit.spare, (<Operator>holder).emitted_width, (<Operator>holder).layout)
        unit.spare.failure = NULL
        self.flushing = (<Operator>holder).flush(unit.spare, <int32_t>at_most) != 0
        if unit.spare.failure is not NULL:
            unit.failed_operator = self.places[phase]
            unit.failed_row = 0                     # behind all tuples that it was given
            unit.failure = unit.spare.failure
            unit.failed_width = 0                   # there is no tuple to show
            unit.failed_layout = NULL
            self.phase.value.store(self.n, memory_order_relaxed)
            swap(unit)
            return True
        if self.flushing:
            swap(unit)
        else:
            self.phase.value.store(phase + 1, memory_order_relaxed)
        return self.flushing
