"""A stateless operator as a stage of its own: a shared worklist, and the reorder buffer behind it."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.apply cimport STATELESS, apply
from streambench.pyx.egress cimport Egress
from streambench.pyx.mpmc_queue cimport MpmcQueue
from streambench.pyx.operator cimport Operator
from streambench.pyx.stage cimport Stage, Tally, weight
from streambench.pyx.threads cimport yield_core
from streambench.pyx.unit cimport Unit, enter_unit
from streambench.pyx.yield_points cimport yield_point


cdef class StatelessStage(Stage):
    """``capacity``: units that the worklist holds."""

    cdef MpmcQueue worklist

    def __init__(self, Operator operator, int place, list fused, Egress egress, int64_t capacity):
        Stage.__init__(self, operator, place, fused, egress)
        self.max_workers = 1 << 30
        self.worklist = MpmcQueue(capacity)

    cdef void enqueue(self, Unit* unit) noexcept nogil:
        self.count_enqueued(weight(unit.now.n))
        while not self.worklist.try_push(<int64_t>unit):
            yield_core()                    # full only for a moment, while a consumer is preempted inside the cell

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        cdef int64_t used = 0, item = 0, n
        cdef Unit* unit
        while used < budget and self.worklist.try_pop(&item):
            yield_point()
            unit = <Unit*>item
            n = weight(unit.now.n)
            self.count_dequeued(n)
            tally.tuples_in += unit.now.n
            if self.enters:
                enter_unit(unit)
            apply(self.operator, STATELESS, self.place, unit)
            self.finish(unit, tally)
            used += n
        return used
