"""Slack: a source of a gate may be out of order by so much time, and is put in order before the gate.

A tuple that is earlier than the highest time so far by more than the slack is late: it is left out and counted. All
others wait until nothing earlier can be taken any more; those of equal times leave as they came. Which tuples are late
depends on the source alone, not on others or on when it is read. The future work of paper 001 (section VIII).
"""

from libc.stdint cimport INT64_MAX
from streambench.pyx.join.record cimport Record, pack
from streambench.pyx.join.scale_gate cimport ADDED, FULL, LATE
from streambench.pyx.machine.memory cimport append, lengthen

from streambench.pyx.tuples.errors import UnfitOptionError


cdef class SlackBuffer:
    """Feeds ``source`` of ``gate``, by one thread. ``slack``: in the timestamps' unit, 0 for a
    source that must be in order."""

    def __cinit__(self, ScaleGate gate, int32_t source, int64_t slack):
        if not 0 <= source < gate.sources:
            raise UnfitOptionError(f"there is no source {source}: the gate has {gate.sources}, counted from 0")
        if slack < 0:
            raise UnfitOptionError(f"slack must be at least 0, not {slack}")
        self.gate, self.source, self.slack = gate, source, slack
        self.highest = self.promised = INT64_MIN

    cdef int64_t offer(self, const int64_t* ts, Columns* rows, int64_t begin, int64_t n) noexcept nogil:
        """Take rows ``begin`` to ``begin`` + ``n`` - 1; returns how many, fewer where the gate
        is full, late ones among them.

        The gate is promised that nothing comes any more that would be late.
        """
        cdef int64_t i
        if self.slack == 0:
            return self.offer_in_order(ts, rows, begin, n)
        if not self.let_out(self.bound()):
            return 0
        for i in range(n):
            if ts[begin + i] < self.bound():
                self.late += 1
                continue
            self.keep(ts[begin + i], rows, begin + i)
            if ts[begin + i] > self.highest:
                self.highest = ts[begin + i]
                if not self.let_out(self.bound()):
                    return i + 1
        self.gate.heartbeat(self.source, self.bound())
        return n

    cdef void promise(self, int64_t ts) noexcept nogil:
        """Nothing earlier than ``ts`` is offered any more; what is all the same is late. Where the gate
        is full, it is told later."""
        self.promised = max(self.promised, ts)
        if self.let_out(self.bound()):
            self.gate.heartbeat(self.source, self.bound())

    cdef bint finish(self) noexcept nogil:
        """No more is offered: hand over what waits, and close the source. False: the gate is full, call again."""
        if not self.let_out(INT64_MAX):
            return False
        self.gate.close(self.source)
        return True

    cdef int64_t offer_in_order(self, const int64_t* ts, Columns* rows, int64_t begin, int64_t n) noexcept nogil:
        cdef int64_t passed = 0, added
        while passed < n:
            added = self.gate.add_rows(self.source, ts, rows, begin + passed, n - passed)
            passed += added
            if passed < n:
                if self.gate.refusal(self.source, ts[begin + passed]) != LATE:
                    break                           # it was not refused for its time: the gate is full
                self.late += 1
                passed += 1
        return passed

    cdef void keep(self, int64_t ts, Columns* rows, int64_t row) noexcept nogil:
        cdef Record* record = &self.gate.records[self.source]
        cdef Waiting one
        if self.places.empty():
            append(self.places, <int64_t>self.records.size())
            lengthen(self.records, self.records.size() + record.size)
        one.ts, one.arrival, one.place = ts, self.arrivals, self.places.back()
        self.places.pop_back()
        self.arrivals += 1
        pack(record, rows, row, self.records.data() + one.place)
        push_waiting(self.heap, one)

    cdef bint let_out(self, int64_t until) noexcept nogil:
        """Hand over what waits up to this time, included; False where the gate is full before."""
        cdef Waiting one
        cdef int32_t outcome
        while not self.heap.empty() and self.heap.front().ts <= until:
            one = self.heap.front()
            outcome = self.gate.add(self.source, one.ts, self.records.data() + one.place)
            if outcome == FULL:
                return False
            self.late += outcome != ADDED           # somebody promised the gate more than the slack does
            append(self.places, one.place)
            pop_waiting(self.heap)
        return True
