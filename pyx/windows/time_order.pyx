"""The order of time in front of windows: a time that goes back is refused, or put in order within a slack."""

cimport cython
from libc.stdint cimport INT64_MAX, INT64_MIN, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport pop_heap, push_heap
from streambench.pyx.machine.memory cimport append, lengthen
from streambench.pyx.tuples.columns cimport NO_END, emit, fail, integer_at
from streambench.pyx.tuples.layout cimport INT32, INT64, UINT32, size_of, type_of

import numpy as np

MOST_TIME = 1 << 62                     # windows' bounds are int64, too
TIME_TYPES = ("int64", "int32", "int16", "int8", "uint32", "uint16", "uint8")
cdef int64_t MOST = MOST_TIME

cdef const char* BACK = (
    "its time is before that of the tuple in front of it: sort the stream, or say by slack= how far it is out of order")
cdef const char* FAR = (
    "its time is beyond 2**62, and so may be the bounds of its windows: count time from a later origin")
ctypedef fused time_t:
    int32_t
    uint32_t


cdef inline bint ascends(const time_t* times, int32_t n) noexcept nogil:
    cdef int32_t i
    cdef bint falls = False
    for i in range(1, n):
        falls |= times[i] < times[i - 1]
    return not falls


cdef inline bint holds(const int64_t* times, int32_t n, int64_t null) noexcept nogil:
    cdef int32_t i
    cdef bint found = False
    for i in range(n):
        found |= times[i] == null
    return found


cdef const char* NO_TIME = "its time is null: leave out rows without a time before the window"


@cython.final
cdef class TimeOrder(Stateful):
    """Refuses a tuple that is earlier than the one before it, by its column ``time``, or whose time is the one that
    stands for ``null``; others pass as they are."""

    def __init__(self, str time, null=None):
        self.has_null, self.null = null is not None, null or 0
        self.name = "window"
        self.reads = {time: TIME_TYPES}
        self.in_place = True

    def open(self, int32_t partitions=1):
        self.last = -MOST

    def save(self):
        return {"last": np.array([self.last])}

    def load(self, saved):
        self.last = saved["last"][0]

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, n = rows.n
        cdef int64_t last = self.last, time
        cdef const int64_t* times = rows.column[self.at[0]]
        cdef uint64_t fallen = 0
        cdef int32_t type = type_of(rows.layout, self.at[0])
        if n == 0:
            return -1
        if (not self.has_null and last <= integer_at(rows, self.at[0], 0)
                and ((type == INT32 and ascends(<const int32_t*>times, n))
                     or (type == UINT32 and ascends(<const uint32_t*>times, n)))):
            self.last = integer_at(rows, self.at[0], n - 1)
            return -1
        if type == INT64:
            for i in range(1, n):               # the highest bit: of a difference below 0, of a time that is far
                fallen |= (<uint64_t>times[i] - <uint64_t>times[i - 1]) | (<uint64_t>times[i] + <uint64_t>MOST)
            if not fallen >> 63 and last <= times[0] <= MOST and not (self.has_null and holds(times, n, self.null)):
                self.last = times[n - 1]
                return -1
        for i in range(n):
            time = integer_at(rows, self.at[0], i)
            if self.has_null and time == self.null:
                return fail(out, i, NO_TIME)
            if time < last or time > MOST:
                return fail(out, i, FAR if time < -MOST or time > MOST else BACK)
            last = time
        self.last = last
        return -1


cdef inline bint later(const Waiting& a, const Waiting& b) noexcept nogil:
    return a.time > b.time if a.time != b.time else a.arrival > b.arrival


@cython.final
cdef class TimeSlack(Stateful):
    """Puts tuples in the order of their column ``time``, those of equal times as they come.

    One that is earlier than the highest time so far by more than ``slack`` is left out, and counted in ``late``. Others
    wait until nothing earlier can come: memory is that of the tuples within the slack. Refuses a time that is ``null``.
    """

    def __init__(self, str time, int64_t slack, tuple schema, null=None):
        self.has_null, self.null = null is not None, null or 0
        names = tuple(name for name, _ in schema)
        self.name = "window"
        self.reads = {name: type.str for name, type in schema}
        self.reads[time] = TIME_TYPES
        self.columns, self.types = names, tuple(type for _, type in schema)
        self.time, self.slack = <int32_t>names.index(time), slack
        self.record_size = sum(type.itemsize for _, type in schema)

    def open(self, int32_t partitions=1):
        self.highest, self.arrivals, self.late = INT64_MIN, 0, 0
        self.waiting.clear()
        self.records.clear()
        self.free.clear()

    @property
    def identity(self) -> str:
        return f"slack {self.slack}"

    def save(self):
        """What waits, as the heap has it."""
        cdef size_t k
        cdef int64_t[:, ::1] to_waiting
        cdef char[:, ::1] to_rows
        cdef size_t n = self.waiting.size()
        waiting, rows = np.empty((n, 2), np.int64), np.empty((n, self.record_size), np.int8)
        to_waiting, to_rows = waiting, rows
        for k in range(n):
            to_waiting[k, 0], to_waiting[k, 1] = self.waiting[k].time, self.waiting[k].arrival
            memcpy(&to_rows[k, 0], self.records.data() + self.waiting[k].place, self.record_size)
        return {"counts": np.array([self.highest, self.arrivals, self.late]), "waiting": waiting, "rows": rows}

    def load(self, saved):
        cdef const int64_t[:, ::1] waiting = saved["waiting"]
        cdef const char[:, ::1] rows = saved["rows"]
        cdef Waiting one
        cdef int64_t k
        self.highest, self.arrivals, self.late = saved["counts"]
        lengthen(self.records, rows.shape[0] * self.record_size)
        for k in range(rows.shape[0]):
            one.time, one.arrival, one.place = waiting[k, 0], waiting[k, 1], k * self.record_size
            append(self.waiting, one)
            memcpy(self.records.data() + one.place, &rows[k, 0], self.record_size)

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i
        cdef int64_t time
        for i in range(rows.n):
            time = integer_at(rows, self.time, i)
            if time < -MOST or time > MOST or (self.has_null and time == self.null):
                return fail(out, i, FAR if time < -MOST or time > MOST else NO_TIME)
            if self.arrivals and time < self.highest - self.slack:
                self.late += 1
                continue
            self.keep(rows, i, time)
            if time > self.highest:
                self.highest = time
                self.let_out(self.highest - self.slack, NO_END, out)
        if self.arrivals:
            self.let_out(self.highest - self.slack, NO_END, out)
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        return self.let_out(INT64_MAX, max(at_most, 1), out)

    cdef void keep(self, Columns* rows, int32_t row, int64_t time) noexcept nogil:
        cdef Waiting one
        cdef int32_t k, size
        cdef char* to
        if self.free.empty():
            append(self.free, <int64_t>self.records.size())
            lengthen(self.records, self.records.size() + self.record_size)
        one.time, one.arrival, one.place = time, self.arrivals, self.free.back()
        self.free.pop_back()
        self.arrivals += 1
        to = self.records.data() + one.place
        for k in range(rows.width):
            size = size_of(rows.layout, k)
            memcpy(to, <const char*>rows.column[k] + <int64_t>row * size, size)
            to += size
        append(self.waiting, one)
        push_heap(self.waiting.begin(), self.waiting.end(), &later)

    cdef int32_t let_out(self, int64_t until, int32_t at_most, Columns* out) noexcept nogil:
        """Emit what waits up to this time, included. Returns how many tuples."""
        cdef int32_t n = 0, k, size, row
        cdef const char* values
        while n < at_most and not self.waiting.empty() and self.waiting.front().time <= until:
            row = emit(out)
            values = self.records.data() + self.waiting.front().place
            for k in range(out.width):
                size = size_of(out.layout, k)
                memcpy(<char*>out.column[k] + <int64_t>row * size, values, size)
                values += size
            append(self.free, self.waiting.front().place)
            pop_heap(self.waiting.begin(), self.waiting.end(), &later)
            self.waiting.pop_back()
            n += 1
        return n
