"""A stateless operator as a stage of its own: a shared worklist, and the reorder buffer behind it."""

from libc.stdint cimport int64_t
from streambench.pyx.tuples.apply cimport STATELESS, apply
from streambench.pyx.engine.egress cimport Egress
from streambench.pyx.queues.growing_queue cimport GrowingQueue, delete_queues, new_queues, pop_shared, push
from streambench.pyx.tuples.operator cimport Operator
from streambench.pyx.schemes.stage cimport Stage, Tally, weight
from streambench.pyx.tuples.work cimport begin_work, end_work
from streambench.pyx.machine.simulated cimport APPLY, WORKLIST, touch
from streambench.pyx.machine.threads cimport yield_core
from streambench.pyx.tuples.unit cimport Unit, enter_unit
from streambench.pyx.machine.yield_points cimport yield_point


cdef inline bint next_item(GrowingQueue* worklist, int64_t* item) noexcept nogil:
    touch(WORKLIST, &worklist.tail)
    return pop_shared(worklist, item)


cdef class StatelessStage(Stage):
    """``capacity``: units that the worklist holds."""

    cdef GrowingQueue* worklist

    def __init__(self, Operator operator, int place, list fused, Egress egress, int64_t capacity):
        Stage.__init__(self, operator, place, fused, egress)
        self.max_workers = 1 << 30
        self.worklist = new_queues(1, capacity)

    def __dealloc__(self):
        delete_queues(self.worklist, 1)

    cdef void enqueue(self, Unit* unit) noexcept nogil:
        touch(WORKLIST, &self.worklist.head)
        self.count_enqueued(weight(unit.now.n))
        while not push(self.worklist, <int64_t>unit):
            yield_core()                    # cannot happen within the ingress credit

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        cdef int64_t used = 0, item = 0, n
        cdef Unit* unit
        while used < budget and next_item(self.worklist, &item):
            yield_point()
            unit = <Unit*>item
            n = weight(unit.now.n)
            self.count_dequeued(tally, n)
            tally.tuples_in += unit.now.n
            begin_work(APPLY, self.place, unit, n)
            if self.enters:
                enter_unit(unit)
            apply(self.operator, STATELESS, self.place, unit)
            end_work(APPLY, self.place, 0, unit, n)
            self.finish(unit, tally)
            used += n
        return used
