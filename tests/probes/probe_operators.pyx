"""Operators for tests (keyed ones: probe_keyed_operators.pyx). Each has a twin of the same name in plain_operators.py
that says in Python what it must do.

They read the key in the first column and the value in the last; they refuse a tuple whose value is ``fail_value``.
"""

from libc.stdint cimport int32_t, int64_t
from jitter cimport jitter, work_for
from probe_guard cimport Guards
from probe_pieces cimport stops
from streambench.pyx.tuples.columns cimport Columns, emit, fail
from streambench.pyx.tuples.operator cimport Stateful, Stateless

cdef enum:
    MODULUS = 1_000_003


cdef class Map(Stateless):
    """(key, value) -> (key or value % rekey, (31 value + key) % MODULUS)."""
    cdef int64_t rekey, fail_value, cost
    cdef int strength

    def __init__(self, rekey=0, fail_value=-1, cost=0, jitter=0):
        self.columns = ("key", "value")
        self.rekey, self.fail_value, self.cost, self.strength = rekey, fail_value, cost, jitter

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t key, value
        for i in range(rows.n):
            key = rows.column[0][i]
            value = rows.column[rows.width - 1][i]
            if value == self.fail_value:
                return fail(out, i, "a value it does not like")
            jitter(value, 1, self.strength)
            work_for(self.cost)
            row = emit(out)
            out.column[0][row] = value % self.rekey if self.rekey else key
            out.column[1][row] = (31 * value + key) % MODULUS
        return -1


cdef class Filter(Stateless):
    """Keeps tuples with value % modulus != 0; modulus 1 keeps none."""
    cdef int64_t modulus, fail_value
    cdef int strength

    def __init__(self, modulus=3, fail_value=-1, jitter=0):
        self.columns = ("key", "value")
        self.modulus, self.fail_value, self.strength = modulus, fail_value, jitter

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t value
        for i in range(rows.n):
            value = rows.column[rows.width - 1][i]
            if value == self.fail_value:
                return fail(out, i, "a value it does not like")
            jitter(value, 2, self.strength)
            if value % self.modulus != 0:
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
                out.column[1][row] = value
        return -1


cdef class Expand(Stateless):
    """Emits (key, value + j) for j below ``copies``; ``piece``: see ``stops``."""
    cdef int64_t copies, fail_value
    cdef int strength
    cdef int32_t piece

    def __init__(self, copies=3, fail_value=-1, jitter=0, piece=0):
        self.columns = ("key", "value")
        self.copies, self.fail_value, self.strength, self.piece = copies, fail_value, jitter, piece

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t j, value
        for i in range(rows.n):
            value = rows.column[rows.width - 1][i]
            if value == self.fail_value:
                return fail(out, i, "a value it does not like")
            jitter(value, 3, self.strength)
            for j in range(self.copies):
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
                out.column[1][row] = value + j
            if stops(out, i + 1, self.piece):
                return -1
        return -1


cdef class Tag(Stateless):
    """In place: appends (key + value) % 1009."""
    cdef int64_t fail_value
    cdef int32_t given

    def __init__(self, given, fail_value=-1, jitter=0):
        self.columns = tuple(f"c{k}" for k in range(given + 1))
        self.in_place = True
        self.fail_value = fail_value
        self.given = given

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            if rows.column[self.given - 1][i] == self.fail_value:
                return fail(out, i, "a value it does not like")
            out.column[self.given][i] = (rows.column[0][i] + rows.column[self.given - 1][i]) % 1009
        return -1


cdef class Flatten(Stateless):
    """(key, start, length) of KeyedLists -> (key, item) for every item, oldest first."""

    def __init__(self, jitter=0):
        self.columns = ("key", "value")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t j
        for i in range(rows.n):
            for j in range(rows.column[2][i]):
                row = emit(out)
                out.column[0][row] = rows.column[0][i]
                out.column[1][row] = rows.heap[rows.column[1][i] + j]
        return -1


cdef class Mute(Stateless):
    """Refuses its first tuple and does not say why."""

    def __init__(self):
        self.columns = ("key", "value")

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return 0 if rows.n else -1


cdef class Unfinished(Stateful):
    """Takes all tuples; at end of stream emits (-1, 0), (-1, 1), ..., of each call one, and fails after ``last``."""
    cdef int64_t last, emitted

    def __init__(self, last):
        self.columns = ("key", "value")
        self.last = last

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int32_t row = emit(out)
        out.column[0][row] = -1
        out.column[1][row] = self.emitted
        self.emitted += 1
        return fail(out, 0, "it did not end well") if self.emitted == self.last else 1


cdef class Total(Stateful):
    """A running total of all tuples: (key, total % MODULUS); at end of stream (-7, total). ``piece``: see ``stops``."""
    cdef int64_t total, fail_value
    cdef Guards* guards
    cdef bint flushed
    cdef int strength
    cdef int32_t piece

    def __init__(self, fail_value=-1, jitter=0, piece=0):
        self.columns = ("key", "value")
        self.fail_value, self.strength, self.piece = fail_value, jitter, piece
        self.guards = new Guards(1)

    def __dealloc__(self):
        del self.guards

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t value
        self.guards.enter(0)
        for i in range(rows.n):
            value = rows.column[rows.width - 1][i]
            if value == self.fail_value:
                self.guards.leave(0)
                return fail(out, i, "a value it does not like")
            jitter(value, 8, self.strength)
            self.total = (self.total + value) % MODULUS
            row = emit(out)
            out.column[0][row] = rows.column[0][i]
            out.column[1][row] = self.total
            if stops(out, i + 1, self.piece):
                break
        self.guards.leave(0)
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef int32_t row
        if self.flushed:
            return 0
        self.flushed = True
        row = emit(out)
        out.column[0][row] = -7
        out.column[1][row] = self.total
        return 1

    @property
    def violations(self):
        return self.guards.violations_now()


cdef class Number(Stateful):
    """In place: appends the tuple's number."""
    cdef int64_t number, fail_value
    cdef int32_t given

    def __init__(self, given, fail_value=-1, jitter=0):
        self.columns = tuple(f"c{k}" for k in range(given + 1))
        self.in_place = True
        self.fail_value = fail_value
        self.given = given

    cdef int32_t process(self, Columns* rows, Columns* out) noexcept nogil:
        cdef int32_t i
        for i in range(rows.n):
            if rows.column[self.given - 1][i] == self.fail_value:
                return fail(out, i, "a value it does not like")
            out.column[self.given][i] = self.number
            self.number += 1
        return -1
