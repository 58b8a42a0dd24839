"""A controller that writes down what it is told and what it decides, so that its decisions can be replayed."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from libcpp.atomic cimport memory_order_relaxed
from libcpp.vector cimport vector
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport CounterLine, delete_counter_lines, new_counter_lines
from streambench.pyx.ordered.controller cimport Controller
from streambench.pyx.ordered.meter cimport METER_FIELDS, METER_IN, METER_TICKS, METER_TIMED, Metered, sum_meters

import numpy as np

MOST = 100_000                          # decisions that are kept unless told otherwise: minutes, and some megabytes
TOLD = "tick", "position", "full", "waiting", "waited"
METERED = "ticks", "timed", "rows"      # of each operator
DECIDED = "changed", "unit", "heads", "sharded", "resting", "in_flight", "next_look", "bound"


cdef class RecordedController(Controller):
    """It decides as any controller, and keeps its first ``most`` decisions; a run's meters are read once a decision."""
    cdef vector[int64_t] numbers        # see `recorded`
    cdef readonly dict made             # what it was made with: partitions and emitted
                                        # columns by place, workers, and how
    cdef readonly int64_t asked         # decisions so far, kept or not
    cdef int64_t begun, most, rows, due
    cdef CounterLine** told             # the sums of what the workers have metered, on the first worker's lines
    cdef int32_t n, told_workers

    def __init__(self, list operators, list partitions, *, int workers, int64_t most=MOST, **how):
        cdef int32_t w
        Controller.__init__(self, operators, partitions, workers=workers, **how)
        self.made = {"partitions": list(partitions), "widths": [len(each.emitted) for each in operators],
                     "workers": workers, "how": how}
        self.most = most
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

    cdef void begin(self, int64_t now) noexcept nogil:
        self.begun = now
        Controller.begin(self, now)
        self.due = self.next_decision

    cdef void write(self, int64_t number) noexcept nogil:
        append(self.numbers, number)

    cdef bint decide(self, int64_t now, int64_t position, CounterLine** meters, int32_t workers) noexcept nogil:
        cdef Metered total
        cdef int32_t k, field
        cdef bint kept = self.rows < self.most, changed
        self.asked += 1
        if kept:
            self.rows += 1
            self.write(now)
            self.write(position)
            self.write(self.full)
            self.write(self.waiting)
            self.write(self.waited)
        for k in range(self.n):
            sum_meters(meters, workers, k, &total)
            for field in range(METER_FIELDS):
                self.told[0][k].value[field].store(total.value[field], memory_order_relaxed)
            if kept:
                self.write(total.value[METER_TICKS])
                self.write(total.value[METER_TIMED])
                self.write(total.value[METER_IN])
        changed = Controller.decide(self, now, position, self.told, workers)
        if kept:
            self.write(changed)
            self.write(self.unit)
            self.write(self.cuts.heads)
            self.write(self.cuts.sharded)
            self.write(self.cuts.resting)
            self.write(self.in_flight())
            self.write(self.next_decision)
            self.write(self.crowd.bound)
        return changed

    def recorded(self):
        """Return an array with a row for each decision, by ``TOLD``, ``METERED`` of each operator, and ``DECIDED``.

        Told: tick, position, tuples in full units, tuples waiting, ns that workers waited for a core; of each operator
        ticks, rows timed, rows. Decided: has the plan changed, tuples to a unit, heads and sharded heads (bits by
        place), workers that rest, units in flight, tick of the next look, is each worker on its core.
        """
        cdef int64_t width = len(TOLD) + len(METERED) * self.n + len(DECIDED)
        cdef int64_t[:, ::1] rows = np.empty((self.rows, width), dtype=np.int64)
        if self.rows > 0:
            memcpy(&rows[0, 0], self.numbers.data(), self.rows * width * sizeof(int64_t))
        return np.asarray(rows)

    @property
    def beginning(self) -> tuple:
        """ns to a tick; the ticks of the beginning and of the first look."""
        return self.terms.ns_per_tick, self.begun, self.due
