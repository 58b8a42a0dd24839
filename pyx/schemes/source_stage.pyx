"""The source's stage, and the end of the stream.

When the stream has ended, each operator that holds state is flushed in turn, as soon as all before it has left it,
under the same credit as the stream itself.
"""

from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.schemes.scheduler cimport OperatorState
from streambench.pyx.schemes.stage cimport Tally, new_tally
from streambench.pyx.tuples.unit cimport enter_unit
from streambench.pyx.machine.yield_points cimport yield_point


cdef class SourceStage(Stage):
    """``behind``: the other stages, in order."""

    def __init__(self, Ingress ingress, list fused, Egress egress, list behind):
        cdef int32_t number
        Stage.__init__(self, ingress.source, 0, fused, egress)
        self.ingress = ingress
        self.end = EndOfStream([ingress.source, *((<Stage>stage).operator for stage in behind)], egress.token)
        self.max_workers = 1 << 30
        for number in range(1, len(behind) + 1):
            self.stages[number] = <void*>behind[number - 1]

    cdef bint schedulable(self) noexcept nogil:
        return self.open() and self.has_work(self.ingress.waiting())

    cdef void state(self, OperatorState* state) noexcept nogil:
        Stage.state(self, state)
        state.worklist = self.ingress.waiting()         # one look at the clock, where tuples arrive by it
        state.schedulable = self.open() and self.has_work(state.worklist)

    cdef bint open(self) noexcept nogil:
        return (self.ingress.ended.value.load(memory_order_relaxed) == 0 and self.ingress.has_credit()
                and self.ingress.lock.value.load(memory_order_relaxed) == 0)

    cdef bint has_work(self, int64_t arrived) noexcept nogil:
        cdef int32_t number
        if not self.end.begun():
            return arrived > 0 or self.ingress.rate == 0.0  # without a rate, the end of the stream is found at the end
        number = self.end.place()
        return number == 0 or self.can_flush(number)

    cdef bint can_flush(self, int32_t number) noexcept nogil:
        """Have all units left the stage whose state is next? Without the lock it is a guess, and that is enough: a
        worker that is sent here in vain goes idle, while others' operators have work."""
        return (<Stage>self.stages[number]).reorder.sent() == self.ingress.next_serial.value.load(memory_order_relaxed)

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        cdef int64_t used = 0, n
        while used < budget:
            n = self.admit_one(tally)
            if n == 0:
                break
            used += n
        return used

    cdef int64_t admit_one(self, Tally* tally) noexcept nogil:
        cdef Unit* unit
        cdef int32_t number
        cdef Tally flushed_tally = new_tally()      # outputs of the flushed stage, not of this one
        cdef int64_t n
        if not self.ingress.try_lock():
            return 0
        if not self.ingress.has_credit() or self.ingress.ended.value.load(memory_order_relaxed) != 0:
            self.ingress.unlock()
            return 0
        yield_point()
        if not self.end.begun():
            unit = self.ingress.next_unit()
            n = self.ingress.admit(unit, min(self.ingress.there(), self.ingress.unit_size))
            if n < 0:
                self.end.begin()
            self.ingress.unlock()
            if n <= 0:
                return 0
            yield_point()
            self.ingress.fill(unit)
            tally.tuples_in += n
            if self.n_fused:
                enter_unit(unit)
            self.finish(unit, tally)
            return n
        number = self.end.place()
        if number == 0:
            self.ingress.ended.value.store(1, memory_order_release)     # pairs with Ingress.finished
            self.ingress.unlock()
            return 0
        unit = self.flush_one(number)
        self.ingress.unlock()
        if unit is NULL:
            return 0
        (<Stage>self.stages[number]).finish(unit, &flushed_tally)
        (<Stage>self.stages[number]).account(0, &flushed_tally)
        return 1

    cdef Unit* flush_one(self, int32_t number) noexcept nogil:
        """Under the ingress lock: the next unit of the stage's remaining state, NULL when there is none (yet)."""
        cdef Unit* unit
        if not self.can_flush(number):
            return NULL                     # units from before are still in it
        unit = self.ingress.next_unit()
        if not self.end.flush(unit, self.ingress.unit_size):
            return NULL
        self.ingress.next_serial.value.store(unit.serial + 1, memory_order_relaxed)
        return unit
