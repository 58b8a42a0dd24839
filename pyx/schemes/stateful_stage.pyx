"""A stateful operator, or the sink, as a stage: one worker at a time, in serial order."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.tuples.apply cimport STATEFUL, apply
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.queues.growing_queue cimport (
    GrowingQueue, delete_queues, holds_item, new_queues, peek, pop_alone, push, seems_empty, take,
)
from streambench.pyx.tuples.operator cimport Operator
from streambench.pyx.schemes.stage cimport Stage, Tally, passes_by, weight
from streambench.pyx.tuples.work cimport begin_work, end_work
from streambench.pyx.machine.simulated cimport APPLY, WORKLIST, look, touch
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.tuples.unit cimport Unit, enter_unit, held_at
from streambench.pyx.machine.yield_points cimport yield_point


cdef class StatefulStage(Stage):
    """``capacity``: units that the worklist holds; ``last``: this is the sink."""

    def __init__(self, Operator operator, int place, list fused, Egress egress, int64_t capacity, bint last):
        Stage.__init__(self, operator, place, fused, egress)
        self.max_workers = 1
        self.last = last
        self.worklist = new_queues(1, capacity)

    def __dealloc__(self):
        delete_queues(self.worklist, 1)

    cdef void enqueue(self, Unit* unit) noexcept nogil:
        touch(WORKLIST, &self.worklist.head)
        self.count_enqueued(0 if passes_by(unit) else weight(unit.now.n))
        while not push(self.worklist, <int64_t>unit):
            yield_core()                # cannot happen within the ingress credit

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        cdef int64_t used = 0, passed = 0, item = 0, n
        cdef Unit* unit
        if not self.claim():
            return 0
        yield_point()
        while used < budget and pop_alone(self.worklist, &item):
            if self.egress.stopped.value.load(memory_order_relaxed) != 0:
                break                   # a refused tuple has reached the sink: nothing after it may
            unit = <Unit*>item
            if passes_by(unit):
                self.egress.deliver(unit)
                passed = 1
                continue
            n = weight(unit.now.n)
            self.count_dequeued(tally, n)
            tally.tuples_in += unit.now.n
            begin_work(APPLY, self.place, unit, n)
            if self.enters:
                enter_unit(unit)
            apply(self.operator, STATEFUL, self.place, unit)
            end_work(APPLY, self.place, 0, unit, n)
            used += n
            if self.last and unit.n_held == 0:
                self.egress.deliver(unit)
            elif self.last:
                self.next_piece(unit)
            elif held_at(unit) == self.place:
                self.finish(unit, tally)
                return used             # the operator stays with the unit: `operator_left`
            else:
                self.finish(unit, tally)
        yield_point()
        self.operator_left()
        return max(used, passed)

    cdef bint claim(self) noexcept nogil:
        """Be the one who is inside, until ``operator_left``."""
        look(WORKLIST, &self.worklist.tail)
        if self.worklist.claims.load(memory_order_relaxed) != 0:
            return False
        touch(WORKLIST, &self.worklist.tail)
        # Acquire pairs with the release below: the next worker sees the operator's state and the queue's end.
        return self.worklist.claims.exchange(1, memory_order_acquire) == 0

    cdef bint sweep(self) noexcept nogil:
        """At the sink: deliver units that weigh nothing, for which nobody is sent there. False: none is in front."""
        cdef bint swept = False
        if seems_empty(self.worklist) or not self.claim():
            return False
        while holds_item(self.worklist) and passes_by(<Unit*>peek(self.worklist)):
            if self.egress.stopped.value.load(memory_order_relaxed) != 0:
                break
            self.egress.deliver(<Unit*>take(self.worklist))
            swept = True
        self.operator_left()
        return swept

    cdef void operator_left(self) noexcept nogil:
        touch(WORKLIST, &self.worklist.tail)
        self.worklist.claims.store(0, memory_order_release)
