"""A stateful operator, or the sink, as a stage: one worker at a time, in serial order."""

from libc.stdint cimport int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from streambench.pyx.apply cimport STATEFUL, apply
from streambench.pyx.egress cimport Egress
from streambench.pyx.operator cimport Operator
from streambench.pyx.padded cimport PaddedCounter, delete_counters, new_counters
from streambench.pyx.spsc_queue cimport SpscQueue, clear_spsc, init_spsc, spsc_pop, spsc_push
from streambench.pyx.stage cimport Stage, Tally, weight
from streambench.pyx.threads cimport yield_core
from streambench.pyx.unit cimport Unit, enter_unit
from streambench.pyx.yield_points cimport yield_point


cdef class StatefulStage(Stage):
    """``capacity``: units that the worklist holds; ``last``: this is the sink."""

    cdef SpscQueue worklist
    cdef PaddedCounter* held            # 1 while a worker is inside: the maximum degree of parallelism is 1
    cdef bint last

    def __init__(self, Operator operator, int place, list fused, Egress egress, int64_t capacity, bint last):
        Stage.__init__(self, operator, place, fused, egress)
        self.max_workers = 1
        self.last = last
        self.held = new_counters(1)
        init_spsc(&self.worklist, capacity)

    def __dealloc__(self):
        clear_spsc(&self.worklist)
        if self.held is not NULL:
            delete_counters(self.held)

    cdef void enqueue(self, Unit* unit) noexcept nogil:
        self.count_enqueued(weight(unit.now.n))
        while not spsc_push(&self.worklist, unit):
            yield_core()                # cannot happen within the ingress credit

    cdef int64_t visit(self, int64_t budget, Tally* tally) noexcept nogil:
        cdef int64_t used = 0, n
        cdef void* item = NULL
        cdef Unit* unit
        # Acquire pairs with the release below: the next worker sees the operator's state and the queue's end.
        if self.held.value.load(memory_order_relaxed) != 0 or self.held.value.exchange(1, memory_order_acquire) != 0:
            return 0
        yield_point()
        while used < budget and spsc_pop(&self.worklist, &item):
            if self.egress.stopped.value.load(memory_order_relaxed) != 0:
                break                   # a refused tuple has reached the sink: nothing after it may
            unit = <Unit*>item
            n = weight(unit.now.n)
            self.count_dequeued(n)
            tally.tuples_in += unit.now.n
            if self.enters:
                enter_unit(unit)
            apply(self.operator, STATEFUL, self.place, unit)
            used += n
            if self.last:
                self.egress.leave(unit)
            else:
                self.finish(unit, tally)
        yield_point()
        self.held.value.store(0, memory_order_release)
        return used
