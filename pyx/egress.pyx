"""What every engine does with a unit that has passed the sink (paper 000, section 7: markers).

Markers stand at equal intervals of ingress tuples and ride on the unit that holds their tuple: they enter when the first
operator begins with the unit and leave when the sink has processed it. So the latency of a tuple counts its whole unit.
Memory is bounded: when ``MOST_MARKERS`` have left, every second one goes and the interval doubles.
"""

from cpython.exc cimport PyErr_CheckSignals
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst
from streambench.pyx.clock cimport ticks
from streambench.pyx.padded cimport delete_counters, new_counters
from streambench.pyx.parking cimport announce, delete_parking, leave, new_parking, park, wake_all
from streambench.pyx.unit cimport enter_unit
from streambench.pyx.yield_points cimport yield_point

import numpy as np

cdef int64_t TICK_NS = 100_000_000
cdef int64_t MOST_MARKERS = 1 << 21     # more than a stream of known length has; a day at 10 M tuples/s would have 800 million
cdef size_t MOST_KINDS_OF_LAPS = 1 << 12        # laps of a query settle; an operator that keeps every k-th tuple's need not


cdef class Egress:
    """``marker_interval``: ingress tuples from one marker to the next."""

    def __cinit__(self, int64_t marker_interval):
        self.operators = MAX_OPERATORS
        self.done = new_counters(1)
        self.tuples = new_counters(1)
        self.stopped = new_counters(1)
        self.parking = new_parking()
        self.caller = new_parking()
        self.marked_interval = self.marker_interval = marker_interval
        self.lap_end = -1
        self.failed = NULL

    def __dealloc__(self):
        delete_counters(self.done)
        delete_counters(self.tuples)
        delete_counters(self.stopped)
        delete_parking(self.parking)
        delete_parking(self.caller)

    cdef void mark(self, Unit* unit) noexcept nogil:
        """At admission, in order: does a marker ride on the unit?"""
        cdef int64_t end = unit.first + unit.arrived
        if self.next_marked < end:
            unit.marked = True
            self.next_marked = ((end - 1) // self.marked_interval + 1) * self.marked_interval

    cdef void leave(self, Unit* unit) noexcept nogil:
        """Count a unit out; one worker at a time, in serial order. A refused tuple in it stops the pipeline."""
        cdef int64_t now
        cdef int32_t k
        if unit.failed_operator >= 0:
            self.failed = unit              # its tuple's serial number counts from what earlier units gave that operator
            self.stop()
            return
        for k in range(self.operators):
            self.tuples_in[k] += unit.tuples_in[k]
        if unit.first + unit.arrived == self.lap_end:       # a unit lies within one lap; a flushed one ends at 0
            self.end_lap()
        if self.next_marker * self.marker_interval < unit.first + unit.arrived:
            now = ticks()
            enter_unit(unit)                # in a pipeline without operators it has not happened yet
            while self.next_marker * self.marker_interval < unit.first + unit.arrived:
                self.entered.push_back(unit.entered.value.load(memory_order_relaxed))
                self.operated.push_back(unit.operated)
                self.left.push_back(now)
                self.next_marker += 1
                if self.next_marker == MOST_MARKERS:
                    self.thin()
        self.tuples.value.store(unit.first + unit.arrived if unit.arrived else self.tuples.value.load(memory_order_relaxed),
                                memory_order_relaxed)
        yield_point()
        self.done.value.store(unit.serial + 1, memory_order_release)        # hands the unit's slot back to the ingress

    cdef void end_lap(self) noexcept nogil:
        cdef Laps one
        cdef int32_t k
        cdef Laps* last = &self.laps.back() if self.laps.size() else NULL
        cdef bint same = last is not NULL
        one.count = 1
        for k in range(MAX_OPERATORS):
            one.given[k] = self.tuples_in[k] - self.before_lap[k]
            self.before_lap[k] = self.tuples_in[k]
            same = same and last.given[k] == one.given[k]
        if same:
            last.count += 1
        else:
            self.laps.push_back(one)
        self.lap_end += self.lap
        if self.laps.size() == MOST_KINDS_OF_LAPS:
            self.lap_end = -1               # memory is bounded: later laps count with the flush

    cdef void thin(self) noexcept nogil:
        cdef int64_t kept = MOST_MARKERS // 2, k
        for k in range(kept):
            self.entered[k] = self.entered[2 * k]
            self.operated[k] = self.operated[2 * k]
            self.left[k] = self.left[2 * k]
        self.entered.resize(kept)
        self.operated.resize(kept)
        self.left.resize(kept)
        self.marker_interval *= 2
        self.next_marker = kept

    cdef void stop(self) noexcept nogil:
        self.stopped.value.store(1, memory_order_seq_cst)       # pairs with the look at it before a worker sleeps
        wake_all(self.parking)

    cdef bint sign_off(self, PaddedCounter* running) noexcept nogil:
        """A worker returns. True for the last one: the thread in `watch_while` goes on."""
        if running.value.fetch_sub(1, memory_order_seq_cst) > 1:
            return False
        wake_all(self.caller)
        return True

    cdef int watch_while(self, PaddedCounter* running, watch) except -1:
        """Wait, without the GIL, until no worker is running; call ``watch`` some ten times a second. Ctrl-C gets through.

        A signal ends the sleep early; the tick is for those that another thread is given.
        """
        while running.value.load(memory_order_acquire) > 0:
            with nogil:
                announce(self.caller)
                if running.value.load(memory_order_seq_cst) > 0:        # pairs with sign_off
                    park(self.caller, TICK_NS)
                else:
                    leave(self.caller)
            if watch is not None:
                watch(self.tuples.value.load(memory_order_relaxed))
            PyErr_CheckSignals()
        return 0

    def markers(self):
        """Return (ingress index, entry, exit from the last operator, exit from the sink) of every marker, int64 arrays.

        The last three in ticks. The last operator's is when its reorder buffer sent the output on to the sink.
        """
        cdef Py_ssize_t count = self.left.size(), i
        entered, operated, left = (np.empty(count, dtype=np.int64) for _ in range(3))
        cdef int64_t[::1] to_entered = entered, to_operated = operated, to_left = left
        for i in range(count):
            to_entered[i] = self.entered[i]
            to_operated[i] = self.operated[i]
            to_left[i] = self.left[i]
        return np.arange(count, dtype=np.int64) * self.marker_interval, entered, operated, left

    def count_laps(self, int64_t tuples):
        """Before a run: count what each lap of so many ingress tuples gives the operators, at least 1."""
        self.lap = self.lap_end = tuples

    def laps_counted(self):
        """Return ([(laps, tuples given to each operator by each of them)], tuples given by the flush), by place.

        Consecutive laps that gave the same stand together. Tuples count for the lap whose tuple caused them. Beyond 4,096 that
        differ from the one before, laps are not counted by themselves: what they gave counts with the flush.
        """
        cdef Laps one
        cdef int32_t k
        counted = []
        for one in self.laps:
            counted.append((one.count, tuple(one.given[k] for k in range(MAX_OPERATORS))))
        return counted, tuple(self.tuples_in[k] - self.before_lap[k] for k in range(MAX_OPERATORS))

    def failure(self):
        """Return (operator index, serial number, values, why) of the refused tuple, or None."""
        if self.failed is NULL:
            return None
        cdef int32_t k = self.failed.failed_operator, c
        values = tuple(self.failed.failed_values[c] for c in range(self.failed.failed_width))
        why = "it gave no reason" if self.failed.failure is NULL else self.failed.failure.decode()
        return k, self.tuples_in[k] + self.failed.failed_row, values, why

    def tuples_left(self) -> int:
        """Return how many stream tuples have reached the sink."""
        return self.tuples.value.load()

    def tuples_given(self):
        """Return how many tuples each operator was given, by its index in the pipeline."""
        return [self.tuples_in[k] for k in range(MAX_OPERATORS)]
