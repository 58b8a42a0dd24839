"""Operators for tests. Each has a twin of the same name in plain_operators.py that says in Python what it must do.

They read the key in the first column and the value in the last; they refuse a tuple whose value is ``fail_value``.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.atomic cimport atomic
from libcpp.map cimport map as ordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference, preincrement
from jitter cimport jitter, work_for
from probe_guard cimport Guards
from streambench.pyx.columns cimport Columns, emit, emit_from, fail, reserve_heap
from streambench.pyx.key_hash cimport partition_by_hash
from streambench.pyx.operator cimport ANY_PARTITION, PartitionedStateful, Stateful, Stateless

cdef enum:
    MODULUS = 1_000_003
    LISTED = 3


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
    """Emits (key, value + j) for j below ``copies``."""
    cdef int64_t copies, fail_value
    cdef int strength

    def __init__(self, copies=3, fail_value=-1, jitter=0):
        self.columns = ("key", "value")
        self.copies, self.fail_value, self.strength = copies, fail_value, jitter

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


cdef class Keyed(PartitionedStateful):
    """State of the keyed probes: a map per partition, and a guard that notices two workers in one partition."""
    cdef vector[ordered_map[int64_t, int64_t]] sums
    cdef Guards* guards
    cdef int64_t fail_value
    cdef int strength

    def __cinit__(self, *args, fail_value=-1, jitter=0, key_range=None, **kwargs):
        self.columns = ("key", "value")
        self.fail_value, self.strength = fail_value, jitter
        if key_range is not None:
            self.low_key, self.high_key = key_range

    def __dealloc__(self):
        del self.guards

    def open(self, int32_t partitions=1):
        self.sums.resize(partitions)
        del self.guards
        self.guards = new Guards(partitions)

    @property
    def violations(self):
        return self.guards.violations_now()


cdef class KeyedSum(Keyed):
    """A running sum s per key; emits s % 4 tuples (key, s + j)."""

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t j, value
        cdef int64_t* sum
        self.guards.enter(partition)
        for i in range(n):
            value = rows.column[rows.width - 1][selected[i]]
            if value == self.fail_value:
                self.guards.leave(partition)
                return fail(out, <int32_t>selected[i], "a value it does not like")
            jitter(value, 4, self.strength)
            sum = &self.sums[partition][rows.column[0][selected[i]]]
            sum[0] = (sum[0] + value) % MODULUS
            for j in range(sum[0] % 4):
                row = emit_from(out, selected[i])
                out.column[0][row] = rows.column[0][selected[i]]
                out.column[1][row] = sum[0] + j
        self.guards.leave(partition)
        return -1


cdef class KeyedCount(Keyed):
    """In place: appends how many tuples of the key there have been."""
    cdef int32_t given

    def __init__(self, given, fail_value=-1, jitter=0, key_range=None):
        self.columns = tuple(f"c{k}" for k in range(given + 1))
        self.in_place = True
        self.given = given

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t value
        cdef int64_t* count
        self.guards.enter(partition)
        for i in range(n):
            row = <int32_t>selected[i]
            value = rows.column[self.given - 1][row]
            if value == self.fail_value:
                self.guards.leave(partition)
                return fail(out, row, "a value it does not like")
            jitter(value, 5, self.strength)
            count = &self.sums[partition][rows.column[0][row]]
            count[0] += 1
            out.column[self.given][row] = count[0]
        self.guards.leave(partition)
        return -1


cdef class Free(Keyed):
    """A keyed probe that finds its state by key alone; a call with rows of any partitions is in all of them at once."""
    cdef bint shared                # as `share` has said
    cdef atomic[int64_t] untold     # calls of the other kind

    def __cinit__(self, *args, **kwargs):
        self.partition_free = self.shared = True

    @property
    def violations(self):
        return self.guards.violations_now() + self.untold.load()

    cdef void share(self, bint shared) noexcept nogil:
        self.shared = shared

    cdef void enter(self, int32_t partition) noexcept nogil:
        cdef size_t p
        if self.partitions > 1 and self.shared == (partition == ANY_PARTITION):
            self.untold.fetch_add(1)
        for p in range(self.sums.size()):
            if partition == ANY_PARTITION or partition == <int32_t>p:
                self.guards.enter(p)

    cdef void leave(self, int32_t partition) noexcept nogil:
        cdef size_t p
        for p in range(self.sums.size()):
            if partition == ANY_PARTITION or partition == <int32_t>p:
                self.guards.leave(p)

    cdef int64_t* sum_of(self, int32_t partition, int64_t key) noexcept nogil:
        if partition == ANY_PARTITION:
            partition = partition_by_hash(key, self.partitions)
        return &self.sums[partition][key]


cdef class FreeSum(Free):
    """As KeyedSum."""

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef uint32_t given
        cdef int64_t j, value
        cdef int64_t* sum
        self.enter(partition)
        for i in range(n):
            given = selected[i] if selected is not NULL else <uint32_t>i
            value = rows.column[rows.width - 1][given]
            if value == self.fail_value:
                self.leave(partition)
                return fail(out, <int32_t>given, "a value it does not like")
            jitter(value, 10, self.strength)
            sum = self.sum_of(partition, rows.column[0][given])
            sum[0] = (sum[0] + value) % MODULUS
            for j in range(sum[0] % 4):
                row = emit_from(out, given)
                out.column[0][row] = rows.column[0][given]
                out.column[1][row] = sum[0] + j
        self.leave(partition)
        return -1


cdef class FreeCount(Free):
    """As KeyedCount."""
    cdef int32_t given

    def __init__(self, given, fail_value=-1, jitter=0, key_range=None):
        self.columns = tuple(f"c{k}" for k in range(given + 1))
        self.in_place = True
        self.given = given

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t value
        cdef int64_t* count
        self.enter(partition)
        for i in range(n):
            row = <int32_t>selected[i] if selected is not NULL else i
            value = rows.column[self.given - 1][row]
            if value == self.fail_value:
                self.leave(partition)
                return fail(out, row, "a value it does not like")
            jitter(value, 12, self.strength)
            count = self.sum_of(partition, rows.column[0][row])
            count[0] += 1
            out.column[self.given][row] = count[0]
        self.leave(partition)
        return -1


cdef class KeyedLists(Keyed):
    """Emits (key, the key's values since its last list) with every second tuple of a key, as a list."""
    cdef vector[ordered_map[int64_t, vector[int64_t]]] held

    def __init__(self, fail_value=-1, jitter=0, key_range=None):
        self.columns = ("key", "start", "length")
        self.list_column = 1

    def open(self, int32_t partitions=1):
        Keyed.open(self, partitions)
        self.held.resize(partitions)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row
        cdef int64_t value
        cdef size_t j
        cdef vector[int64_t]* list_of_key
        self.guards.enter(partition)
        for i in range(n):
            value = rows.column[rows.width - 1][selected[i]]
            if value == self.fail_value:
                self.guards.leave(partition)
                return fail(out, <int32_t>selected[i], "a value it does not like")
            jitter(value, 6, self.strength)
            list_of_key = &self.held[partition][rows.column[0][selected[i]]]
            list_of_key.push_back(value)
            if list_of_key.size() % 2 == 0:
                row = emit_from(out, selected[i])
                out.column[0][row] = rows.column[0][selected[i]]
                out.column[1][row] = out.heap_n
                out.column[2][row] = <int64_t>list_of_key.size()
                reserve_heap(out, <int64_t>list_of_key.size())
                for j in range(list_of_key.size()):
                    out.heap[out.heap_n] = list_of_key[0][j]
                    out.heap_n += 1
                if list_of_key.size() >= 4:
                    list_of_key.clear()
        self.guards.leave(partition)
        return -1


cdef class KeyedHold(Keyed):
    """Emits nothing before the stream ends; then (key, sum) in ascending key order.

    ``burst``: all in one call, however many were asked for.
    """
    cdef ordered_map[int64_t, int64_t] all_sums
    cdef bint gathered, burst

    def __init__(self, burst=False, fail_value=-1, jitter=0, key_range=None):
        self.burst = burst

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i
        cdef int64_t value
        cdef int64_t* sum
        self.guards.enter(partition)
        for i in range(n):
            value = rows.column[rows.width - 1][selected[i]]
            if value == self.fail_value:
                self.guards.leave(partition)
                return fail(out, <int32_t>selected[i], "a value it does not like")
            jitter(value, 7, self.strength)
            sum = &self.sums[partition][rows.column[0][selected[i]]]
            sum[0] = (sum[0] + value) % MODULUS
        self.guards.leave(partition)
        return -1

    cdef int32_t flush(self, Columns* out, int32_t at_most) noexcept nogil:
        cdef size_t p
        cdef int32_t emitted = 0, row
        cdef ordered_map[int64_t, int64_t].iterator at
        if not self.gathered:
            for p in range(self.sums.size()):
                self.all_sums.insert(self.sums[p].begin(), self.sums[p].end())
            self.gathered = True
        while self.all_sums.size() > 0 and (self.burst or emitted < at_most):
            at = self.all_sums.begin()
            row = emit(out)
            out.column[0][row] = dereference(at).first
            out.column[1][row] = dereference(at).second
            emitted += 1
            self.all_sums.erase(at)
        return emitted


cdef class Total(Stateful):
    """A running total of all tuples: (key, total % MODULUS); at end of stream (-7, total)."""
    cdef int64_t total, fail_value
    cdef Guards* guards
    cdef bint flushed
    cdef int strength

    def __init__(self, fail_value=-1, jitter=0):
        self.columns = ("key", "value")
        self.fail_value, self.strength = fail_value, jitter
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
