"""A controller that writes down what it is told and what it decides."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.machine.padded cimport CounterLine, delete_counter_lines, new_counter_lines
from streambench.pyx.sharded.controller cimport Controller
from streambench.pyx.sharded.meter cimport METER_FIELDS, METER_IN, METER_TICKS, METER_TIMED, Metered, sum_meters


cdef class Recording(Controller):
    """It decides as any controller, and keeps its first ``most`` decisions; a run's meters are read once a decision."""
    cdef vector[int64_t] numbers        # see `recorded`
    cdef int64_t begun, most, rows, due
    cdef CounterLine** told             # the sums of what the workers have metered, on the first worker's lines
    cdef int32_t n, told_workers

    def __init__(self, list operators, list partitions, *, int workers, **how):
        cdef int32_t w
        Controller.__init__(self, operators, partitions, workers=workers, **how)
        self.n = <int32_t>len(operators)
        self.told = <CounterLine**>calloc(workers, sizeof(CounterLine*))
        for w in range(workers):
            self.told[w] = new_counter_lines(self.n)
        self.told_workers = workers

    def __dealloc__(self):
        cdef int32_t w
        if self.told is not NULL:
            for w in range(self.told_workers):
                delete_counter_lines(self.told[w])
            free(self.told)

    def keep(self, int64_t most):
        self.most = most
        self.numbers.reserve(most * (10 + 3 * self.n))

    cdef void begin(self, int64_t now) noexcept nogil:
        self.begun = now
        Controller.begin(self, now)
        self.due = self.next_decision

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        cdef Metered total
        cdef int32_t k, field
        cdef bint kept = self.rows < self.most, changed
        if kept:
            self.rows += 1
            self.numbers.push_back(now)
            self.numbers.push_back(position)
            self.numbers.push_back(self.full)
            self.numbers.push_back(self.waiting)
        for k in range(self.n):
            sum_meters(meters, workers, k, &total)
            for field in range(METER_FIELDS):
                self.told[0][k].value[field].store(total.value[field], memory_order_relaxed)
            if kept:
                self.numbers.push_back(total.value[METER_TICKS])
                self.numbers.push_back(total.value[METER_TIMED])
                self.numbers.push_back(total.value[METER_IN])
        changed = Controller.decide(self, now, position, self.told, workers)
        if kept:
            self.numbers.push_back(changed)
            self.numbers.push_back(self.unit)
            self.numbers.push_back(self.cuts.heads)
            self.numbers.push_back(self.cuts.sharded)
            self.numbers.push_back(self.in_flight())
            self.numbers.push_back(self.next_decision)
        return changed

    def recorded(self):
        """A row of numbers for each decision.

        Told: tick, position, tuples in full units, tuples waiting; of each operator ticks, rows timed, rows. Decided: has
        the plan changed, tuples to a unit, heads and sharded heads (bits by place), units in flight, tick of the next look.
        """
        width = 10 + 3 * self.n
        return [[self.numbers[k * width + j] for j in range(width)] for k in range(self.rows)]

    @property
    def beginning(self):
        """ns to a tick; the ticks of the beginning and of the first look."""
        return self.given.ns_per_tick, self.begun, self.due
