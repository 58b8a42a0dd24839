"""The source's stage, and the end of the stream.

When the stream has ended, each operator that holds state is flushed in turn, as soon as all before it has left it. What
it emits takes the next serial numbers and enters behind that operator, under the same credit as the stream itself.
"""

from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from streambench.pyx.columns cimport reset
from streambench.pyx.egress cimport Egress
from streambench.pyx.operator cimport Stateless
from streambench.pyx.padded cimport delete_counters, new_counters
from streambench.pyx.scheduler cimport OperatorState
from streambench.pyx.stage cimport Tally, new_tally
from streambench.pyx.unit cimport enter_unit, swap
from streambench.pyx.yield_points cimport yield_point


cdef class SourceStage(Stage):
    """``behind``: the other stages, in order."""

    def __cinit__(self, *args, **kwargs):
        self.phase = new_counters(1)

    def __dealloc__(self):
        delete_counters(self.phase)

    def __init__(self, Ingress ingress, list fused, Egress egress, list behind):
        cdef Stage stage
        Stage.__init__(self, ingress.source, 0, fused, egress)
        self.ingress = ingress
        self.phase.value.store(-1)
        self.max_workers = 1 << 30
        for stage in behind[:len(behind) - 1]:      # the last one is the sink
            if not isinstance(stage.operator, Stateless):
                self.flushed[self.n_flushed] = <void*>stage
                self.n_flushed += 1

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
        cdef int64_t phase = self.phase.value.load(memory_order_relaxed)
        if phase < 0:
            return arrived > 0 or self.ingress.rate == 0.0      # without a rate, the end of the stream is found at the end
        return phase >= self.n_flushed or self.can_flush(<Stage>self.flushed[phase])

    cdef bint can_flush(self, Stage stage) noexcept nogil:
        """Have all units left the stage whose state is next? Without the lock it is a guess, and that is enough: a worker
        that is sent here in vain goes idle, while others' operators have work."""
        return stage.reorder.sent() == self.ingress.next_serial.value.load(memory_order_relaxed)

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
        cdef void* flushed
        cdef Tally flushed_tally = new_tally()      # outputs of the flushed stage, not of this one
        cdef int64_t n, phase
        if not self.ingress.try_lock():
            return 0
        if not self.ingress.has_credit() or self.ingress.ended.value.load(memory_order_relaxed) != 0:
            self.ingress.unlock()
            return 0
        yield_point()
        phase = self.phase.value.load(memory_order_relaxed)
        if phase < 0:
            unit = self.ingress.next_unit()
            n = self.ingress.admit(unit)
            if n < 0:
                self.phase.value.store(0, memory_order_relaxed)
            self.ingress.unlock()
            if n <= 0:
                return 0
            yield_point()
            self.ingress.source.fill(unit)
            tally.tuples_in += n
            if self.n_fused:
                enter_unit(unit)
            self.finish(unit, tally)
            return n
        if phase == self.n_flushed:
            self.ingress.ended.value.store(1, memory_order_release)     # pairs with Ingress.finished
            self.ingress.unlock()
            return 0
        flushed = self.flushed[phase]
        unit = self.flush_one(<Stage>flushed)
        self.ingress.unlock()
        if unit is NULL:
            return 0
        (<Stage>flushed).finish(unit, &flushed_tally)
        (<Stage>flushed).account(0, &flushed_tally)
        return 1

    cdef Unit* flush_one(self, Stage stage) noexcept nogil:
        """Under the ingress lock: the next unit of the stage's remaining state, NULL when there is none (yet)."""
        cdef Unit* unit
        if not self.can_flush(stage):
            return NULL                     # units from before are still in it
        unit = self.ingress.next_unit()
        reset(unit.spare, stage.operator.emitted_width)
        if stage.operator.flush(unit.spare, <int32_t>self.ingress.unit_size) == 0:
            self.phase.value.store(self.phase.value.load(memory_order_relaxed) + 1, memory_order_relaxed)
            return NULL
        swap(unit)
        self.ingress.next_serial.value.store(unit.serial + 1, memory_order_relaxed)
        return unit
