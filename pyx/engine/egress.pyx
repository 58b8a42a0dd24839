"""What every engine does with a unit that has passed the sink (paper 000, section 7: markers).

Markers stand at equal intervals of ingress tuples and ride on the unit that holds their tuple: they enter when the
first operator begins with the unit and leave when the sink has processed it. So the latency of a tuple counts its whole
unit. Memory is bounded: when ``MOST_MARKERS`` have left, every second one goes and the interval doubles.
"""

from libcpp.atomic cimport memory_order_relaxed, memory_order_release
from streambench.pyx.machine.memory cimport append
from streambench.pyx.machine.padded cimport (
    delete_counter_line, delete_counter_lines, delete_counters, new_counter_line, new_counter_lines_under_the_gil,
    new_counters,
)
from streambench.pyx.machine.simulated cimport SINK, present, touch
from streambench.pyx.tuples.layout cimport values_of
from streambench.pyx.machine.yield_points cimport yield_point

import numpy as np

# more than a stream of known length has; a day at 10 M tuples/s would have 800 million
cdef int64_t MOST_MARKERS = 1 << 21
cdef size_t MOST_KINDS_OF_LAPS = 1 << 12  # laps of a query settle; an operator that keeps every k-th tuple's need not


cdef class Egress:
    """``token``: what a refused tuple stops; ``marker_interval``: ingress tuples from one marker to the next."""

    def __cinit__(self, StopToken token not None, int64_t marker_interval):
        self.token = token
        self.stopped = token.stopped
        self.operators = MAX_OPERATORS
        self.done = new_counters(1)
        self.tuples = new_counters(1)
        self.seen = new_counter_line()
        self.latencies = new_counter_lines_under_the_gil(LATENCY_BOUNDS // 16)
        self.marked_interval = self.marker_interval = marker_interval
        self.lap_end = -1
        self.failed = NULL

    def __dealloc__(self):
        delete_counters(self.done)
        delete_counters(self.tuples)
        delete_counter_line(self.seen)
        delete_counter_lines(self.latencies)

    cdef void mark(self, Unit* unit) noexcept nogil:
        """At admission, in order: does a marker ride on the unit?"""
        cdef int64_t end = unit.first + unit.arrived
        if self.next_marked < end:
            unit.marked = True
            self.next_marked = ((end - 1) // self.marked_interval + 1) * self.marked_interval

    cdef void deliver(self, Unit* unit) noexcept nogil:
        """Count a unit out; one worker at a time, in serial order. A refused tuple in it stops the pipeline.

        One that still holds something was left as the run was stopped, and is not counted: of
        it the sink has a beginning.
        """
        cdef int64_t now
        cdef int32_t k
        if unit.failed_operator >= 0:
            self.failed = unit  # its tuple's serial number counts from what earlier units gave that operator
            self.token.stop()
            return
        if unit.n_held > 0:
            return
        for k in range(self.operators):
            self.tuples_in[k] += unit.tuples_in[k]
        if unit.first + unit.arrived == self.lap_end:       # a unit lies within one lap; a flushed one ends at 0
            self.end_lap()
        if self.next_marker * self.marker_interval < unit.first + unit.arrived:
            now = present()
            if unit.entered.value.load(memory_order_relaxed) == 0:
                unit.entered.value.store(now, memory_order_relaxed)     # in a pipeline without operators
            while self.next_marker * self.marker_interval < unit.first + unit.arrived:
                append(self.entered, unit.entered.value.load(memory_order_relaxed))
                append(self.operated, unit.operated)
                append(self.left, now)
                self.count_marker(now - unit.entered.value.load(memory_order_relaxed))
                self.next_marker += 1
                if self.next_marker == MOST_MARKERS:
                    self.thin()
        self.tuples.value.store(unit.first + unit.arrived if unit.arrived
                                else self.tuples.value.load(memory_order_relaxed), memory_order_relaxed)
        yield_point()
        touch(SINK, self.done)
        self.done.value.store(unit.serial + 1, memory_order_release)        # hands the unit's slot back to the ingress

    cdef void count_marker(self, int64_t under_way) noexcept nogil:
        """For who looks meanwhile. One writer at a time, so no read-modify-write; relaxed, as
        nothing is read by way of it."""
        cdef int32_t k = 0
        self.seen.value[MARKERS].store(self.seen.value[MARKERS].load(memory_order_relaxed) + 1, memory_order_relaxed)
        self.seen.value[MARKER_TICKS].store(self.seen.value[MARKER_TICKS].load(memory_order_relaxed) + under_way,
                                            memory_order_relaxed)
        while k < LATENCY_BOUNDS - 1 and under_way >> (k + SHORTEST_BITS):
            k += 1
        self.latencies[k // 16].value[k % 16].store(
            self.latencies[k // 16].value[k % 16].load(memory_order_relaxed) + 1, memory_order_relaxed)

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
            append(self.laps, one)
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

        Consecutive laps that gave the same stand together. Tuples count for the lap whose tuple caused them. Beyond
        4,096 that differ from the one before, laps are not counted by themselves: what they gave counts with the flush.
        """
        cdef Laps one
        cdef int32_t k
        counted = []
        for one in self.laps:
            counted.append((one.count, tuple(one.given[k] for k in range(MAX_OPERATORS))))
        return counted, tuple(self.tuples_in[k] - self.before_lap[k] for k in range(MAX_OPERATORS))

    def failure(self):
        """Return (operator index, serial number, values, why) of the refused tuple, or None. An operator that failed as
        it was flushed has no values; the serial number is that of the tuple that would have come next."""
        if self.failed is NULL:
            return None
        cdef int32_t k = self.failed.failed_operator
        values = values_of(self.failed.failed_tuple, self.failed.failed_layout, self.failed.failed_width)
        why = "it gave no reason" if self.failed.failure is NULL else self.failed.failure.decode()
        return k, self.tuples_in[k] + self.failed.failed_row, values, why

    def reason_address(self) -> int:
        """Where the text lies that says why a tuple was refused; 0: there is none."""
        return 0 if self.failed is NULL else <size_t>self.failed.failure

    def tuples_left(self) -> int:
        """Return how many stream tuples have reached the sink; at any time, from any thread."""
        return self.tuples.value.load()

    def markers_so_far(self):
        """Return (how many markers have left, the ticks that these were under way in all); at
        any time, from any thread."""
        return (self.seen.value[MARKERS].load(memory_order_relaxed),
                self.seen.value[MARKER_TICKS].load(memory_order_relaxed))

    def latencies_so_far(self):
        """Return [(bound in ticks, markers that were under way for less and for no less than the bound before)]; the
        last bound is infinite. At any time, from any thread."""
        return [(float("inf") if k == LATENCY_BOUNDS - 1 else float(1 << (k + SHORTEST_BITS)),
                 self.latencies[k // 16].value[k % 16].load(memory_order_relaxed)) for k in range(LATENCY_BOUNDS)]

    def tuples_given(self):
        """Return how many tuples each operator was given, by its index in the pipeline."""
        return [self.tuples_in[k] for k in range(MAX_OPERATORS)]
