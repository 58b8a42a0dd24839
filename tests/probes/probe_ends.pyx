"""Sources and sinks for tests."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.atomic cimport atomic
from libcpp.vector cimport vector
from jitter cimport jitter, work_for
from probe_guard cimport Guards
from streambench.pyx.tuples.columns cimport Columns, emit_from, fail, reserve, reset
from streambench.pyx.tuples.operator cimport PartitionedStateful, Sink, Source
from streambench.pyx.machine.threads cimport sleep_ns
from streambench.pyx.tuples.unit cimport Unit


cdef class Gauge:
    """Tuples between source and sink: now, and at most ever."""
    cdef atomic[int64_t] flying
    cdef atomic[int64_t] claimed
    cdef int64_t highest                # written by the source, which is guarded

    @property
    def peak(self):
        return self.highest

    @property
    def under_way(self):
        return self.flying.load()


cdef class Counting(Source):
    """(key, value) = (i * 7919 % keys, i) for i below ``tuples`` (None: no end).

    ``trickle``: every third call finds nothing, the others one to five tuples. ``known``: it
    says how many there will be.
    """
    cdef int64_t tuples, keys, position, calls
    cdef bint trickle, known
    cdef Guards* guards
    cdef readonly Gauge gauge

    def __init__(self, tuples=None, keys=97, trickle=False, gauge=None, known=True):
        self.columns = ("key", "value")
        self.tuples = -1 if tuples is None else tuples
        self.keys = keys
        self.trickle = trickle
        self.known = known
        self.gauge = gauge or Gauge()
        self.guards = new Guards(1)

    def __dealloc__(self):
        del self.guards

    def total(self):
        return self.tuples if self.known and self.tuples >= 0 else None

    @property
    def violations(self):
        return self.guards.violations_now()

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef int64_t n = at_most, now
        self.guards.enter(0)
        if self.trickle:
            self.calls += 1
            if self.calls % 3 == 0:
                n = 0
            elif n > 1 + self.calls % 5:
                n = 1 + self.calls % 5
        if self.tuples >= 0 and n > self.tuples - self.position:
            n = self.tuples - self.position
        self.position += n
        self.gauge.claimed.fetch_add(n)
        now = self.gauge.flying.fetch_add(n) + n
        if now > self.gauge.highest:
            self.gauge.highest = now
        if n == 0 and self.position == self.tuples:
            n = -1
        self.guards.leave(0)
        return n

    cdef void fill(self, Unit* unit) noexcept nogil:
        cdef Columns* out = unit.now
        cdef int64_t i
        reset(out, 2)
        reserve(out, unit.arrived)
        for i in range(unit.arrived):
            out.column[0][i] = (unit.first + i) * 7919 % self.keys
            out.column[1][i] = unit.first + i
        out.n = <int32_t>unit.arrived


cdef class Noting(Counting):
    """It keeps how many tuples it gave at a time."""
    cdef vector[int64_t] given

    cdef int64_t claim(self, Unit* unit, int64_t at_most) noexcept nogil:
        cdef int64_t n = Counting.claim(self, unit, at_most)
        if n > 0:
            self.given.push_back(n)
        return n

    @property
    def units(self):
        return list(self.given)


cdef class Patient(PartitionedStateful):
    """Passes every tuple on, but waits with number i until i - 2 has reached the sink: someone else must see to that.

    ``starved``: how often nobody did, for seconds on end.
    """
    cdef Gauge gauge
    cdef atomic[int64_t] gave_up

    def __init__(self, gauge):
        self.columns = ("key", "value")
        self.gauge = gauge

    @property
    def starved(self):
        return self.gave_up.load()

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t value, naps
        for i in range(n):
            value = rows.column[1][selected[i]]
            naps = 0
            while self.gave_up.load() == 0 and self.gauge.claimed.load() - self.gauge.flying.load() < value - 1:
                sleep_ns(50_000)
                naps += 1
                if naps > 100_000:
                    self.gave_up.fetch_add(1)
            row = emit_from(out, selected[i])
            out.column[0][row] = rows.column[0][selected[i]]
            out.column[1][row] = value
        return -1


cdef class Recorder(Sink):
    """Keeps every tuple. ``cost``: rounds of work per tuple; ``nap``: nanoseconds of sleep per unit.

    ``behind``: with its first unit it waits until so many tuples are under way (for seconds, then it has ``gave_up``).
    """
    cdef vector[int64_t] kept
    cdef vector[int32_t] widths
    cdef Guards* guards
    cdef Gauge gauge
    cdef int64_t fail_value, cost, nap, behind
    cdef int strength
    cdef bint keep
    cdef readonly bint gave_up
    cdef readonly int64_t tuples

    def __init__(self, fail_value=-1, jitter=0, cost=0, nap=0, gauge=None, keep=True, behind=0):
        self.fail_value, self.strength, self.cost, self.nap, self.keep = fail_value, jitter, cost, nap, keep
        self.behind = behind
        self.gauge = gauge
        self.guards = new Guards(1)

    def __dealloc__(self):
        del self.guards

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, k, naps = 0
        cdef int64_t value
        self.guards.enter(0)
        while self.tuples == 0 and naps < 100_000 and self.behind and self.gauge.flying.load() < self.behind:
            sleep_ns(50_000)
            naps += 1
        self.gave_up = self.gave_up or naps == 100_000
        if self.nap:
            sleep_ns(self.nap)
        for i in range(rows.n):
            value = rows.column[rows.width - 1][i]
            if value == self.fail_value:
                self.guards.leave(0)
                return fail(out, i, "a value it does not like")
            jitter(value, 9, self.strength)
            work_for(self.cost)
            self.tuples += 1
            if self.keep:
                self.widths.push_back(rows.width)
                for k in range(rows.width):
                    self.kept.push_back(rows.column[k][i])
        if self.gauge is not None:
            self.gauge.flying.fetch_sub(rows.n)
        self.guards.leave(0)
        return -1

    @property
    def violations(self):
        return self.guards.violations_now()

    def rows(self):
        """All tuples, in order."""
        cdef size_t i, at = 0
        cdef int32_t k
        found = []
        for i in range(self.widths.size()):
            found.append(tuple([self.kept[at + k] for k in range(self.widths[i])]))
            at += self.widths[i]
        return found
