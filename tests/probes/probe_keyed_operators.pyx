"""Keyed operators for tests, as those in probe_operators.pyx: each has a twin of the same
name in plain_operators.py."""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.atomic cimport atomic
from libcpp.map cimport map as ordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference
from jitter cimport jitter
from probe_guard cimport Guards
from probe_pieces cimport stops
from streambench.pyx.tuples.columns cimport Columns, emit, emit_from, fail, reserve_heap
from streambench.pyx.partition.key_hash cimport partition_by_hash
from streambench.pyx.tuples.operator cimport ANY_PARTITION, PartitionedStateful
from streambench.pyx.machine.threads cimport sleep_ns

cdef enum:
    MODULUS = 1_000_003


cdef class Keyed(PartitionedStateful):
    """State of the keyed probes: a map per partition, and a guard that notices two workers in one partition.

    ``piece``, of those that may emit several tuples for one: see ``stops``.
    """
    cdef public int32_t piece
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
            if stops(out, i + 1, self.piece):
                break
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
            if stops(out, i + 1, self.piece):
                break
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


cdef class AtOnce(PartitionedStateful):
    """In place: appends nothing of use; refuses the values ``early`` and ``late``, of two partitions, at the same time.

    The later one says why when the earlier one has said why, and before that returns. ``alone``: the
    other never came, for seconds.
    """
    cdef int64_t early, late
    cdef atomic[int64_t] said
    cdef atomic[int64_t] gave_up

    def __init__(self, early, late, key_range):
        self.columns = ("key", "value", "none")
        self.in_place = True
        self.early, self.late = early, late
        self.low_key, self.high_key = key_range

    @property
    def alone(self):
        return self.gave_up.load() > 0

    cdef void wait_for(self, int64_t said) noexcept nogil:
        cdef int64_t naps = 0
        while self.said.load() < said and self.gave_up.load() == 0:
            sleep_ns(50_000)
            naps += 1
            if naps > 100_000:
                self.gave_up.store(1)

    cdef int32_t process(self, int32_t partition, Columns* rows, uint32_t* selected, int32_t n,
                         Columns* out) noexcept nogil:
        cdef int32_t i, row, refused
        for i in range(n):
            row = <int32_t>selected[i]
            if rows.column[1][row] == self.early:
                refused = fail(out, row, "the earlier one")
                self.said.fetch_add(1)
                self.wait_for(2)
                return refused
            if rows.column[1][row] == self.late:
                self.wait_for(1)
                refused = fail(out, row, "the later one")
                self.said.fetch_add(1)
                return refused
            out.column[2][row] = 0
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
            if stops(out, i + 1, self.piece):
                break
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
