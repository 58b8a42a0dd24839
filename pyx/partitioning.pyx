"""Hash and range partitioning (paper 000, sections 2.1 and 4), and both ends of a partitioned operator's unit.

The worker that produces a unit scatters it, before it is ordered, by a counting sort; the worker that finishes its last
group gathers the outputs in the order of the input rows, so that they take their inputs' places.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.columns cimport Columns, reserve, reserve_heap, reset, widen
from streambench.pyx.key_hash cimport partition_by_hash, partition_column
from streambench.pyx.place_rows cimport MOST_PASSES, can_place_rows, place_rows
from streambench.pyx.unit cimport Group, need_groups, need_identity, need_order, need_starts, swap

cdef extern from *:
    """
    #include <cstdint>
    namespace streambench {
    // The high half of a 64-bit product: Cython has no 128-bit integers.
    inline int32_t scale(uint64_t fraction, uint64_t range, uint64_t parts) {
        return int32_t((unsigned __int128)(fraction) * parts / range);
    }
    }
    """
    int32_t scale "streambench::scale"(uint64_t fraction, uint64_t range, uint64_t parts) noexcept nogil


cdef class Partitioning:
    """Maps keys to ``partitions`` partitions, by hash or by equal ranges of [low, high)."""

    def __cinit__(self, int32_t partitions, bint by_range=False, int64_t low=0, int64_t high=0):
        if partitions < 1:
            raise ValueError(f"partitions must be at least 1, not {partitions}")
        if by_range and high <= low:
            raise ValueError(f"range partitioning needs keys from low to high: [{low}, {high}) is empty")
        self.partitions = partitions
        self.by_range = by_range
        self.low = low
        self.high = high

    cdef int32_t partition(self, int64_t key) noexcept nogil:
        if not self.by_range:
            return partition_by_hash(key, self.partitions)
        if key < self.low:
            return 0
        if key >= self.high:
            return self.partitions - 1
        return scale(<uint64_t>(key - self.low), <uint64_t>(self.high - self.low), self.partitions)

    def of(self, int64_t key) -> int:
        """Return the partition of a key."""
        return self.partition(key)

    cdef void scatter(self, PartitionedStateful operator, Unit* unit) noexcept nogil:
        """Index ``unit.now`` by partition: groups of row numbers, each in ascending order. An empty unit has one empty group."""
        cdef Columns* rows = unit.now
        cdef int32_t n = rows.n, row, p, g, begin
        cdef int32_t* starts
        if self.partitions == 1 or n <= 1:
            need_groups(unit, 1)
            need_identity(unit, n)
            if n == 1 and self.partitions > 1:
                need_order(unit, 1)
                operator.select_keys(rows, unit.keys)
                self.open_group(unit, 0, self.partition(unit.keys[0]), 0, 1)
            else:
                self.open_group(unit, 0, 0, 0, n)
            unit.n_groups = 1
        else:
            need_starts(unit, self.partitions)
            need_order(unit, n)
            need_groups(unit, min(n, self.partitions))
            starts = unit.starts
            operator.select_keys(rows, unit.keys)
            memset(starts, 0, self.partitions * sizeof(int32_t))
            for row in range(n):
                p = self.partition(unit.keys[row])
                unit.partition_of[row] = <uint32_t>p
                starts[p] += 1
            begin = g = 0
            for p in range(self.partitions):
                if starts[p] > 0:
                    self.open_group(unit, g, p, begin, begin + starts[p])
                    g += 1
                    begin += starts[p]
                    starts[p] = begin - starts[p]
            for row in range(n):
                p = <int32_t>unit.partition_of[row]
                unit.order[starts[p]] = <uint32_t>row
                starts[p] += 1
            unit.n_groups = g
            if g == 1:
                need_identity(unit, n)                      # all in one partition: read as a unit that has no index
        # Relaxed: the queues that hand the groups on publish it.
        unit.pending.value.store(unit.n_groups, memory_order_relaxed)
        unit.given_width = rows.width
        if operator.in_place:
            widen(rows, operator.emitted_width)

    cdef void scatter_to_all(self, PartitionedStateful operator, Unit* unit) noexcept nogil:
        """As ``scatter``, but with a group for every partition, at its number, empty ones too."""
        cdef Columns* rows = unit.now
        cdef int32_t n = rows.n, row, p, begin = 0, count
        cdef int32_t* starts
        cdef uint32_t* partition_of
        cdef uint32_t* order
        cdef int64_t* keys
        if self.partitions == 1:
            self.scatter(operator, unit)
            return
        need_order(unit, max(n, 1))         # an empty unit has an index too, if an empty one
        need_groups(unit, self.partitions)
        keys = unit.keys
        order = unit.order
        partition_of = unit.partition_of
        operator.select_keys(rows, keys)
        if self.by_range:
            for row in range(n):
                partition_of[row] = <uint32_t>self.partition(keys[row])
        else:
            partition_column(keys, partition_of, n, self.partitions)
        if self.partitions <= MOST_PASSES and can_place_rows():
            for p in range(self.partitions):        # ascending: what is written too far is overwritten
                count = place_rows(partition_of, n, <uint32_t>p, order + begin)
                self.open_group(unit, p, p, begin, begin + count)
                begin += count
        else:
            need_starts(unit, self.partitions)
            starts = unit.starts
            memset(starts, 0, self.partitions * sizeof(int32_t))
            for row in range(n):
                starts[partition_of[row]] += 1
            for p in range(self.partitions):
                count = starts[p]
                self.open_group(unit, p, p, begin, begin + count)
                starts[p] = begin
                begin += count
            for row in range(n):
                p = <int32_t>partition_of[row]
                order[starts[p]] = <uint32_t>row
                starts[p] += 1
        unit.n_groups = self.partitions
        unit.pending.value.store(self.partitions, memory_order_relaxed)     # relaxed: the unit's readiness publishes it
        unit.given_width = rows.width
        if operator.in_place:
            widen(rows, operator.emitted_width)

    cdef void open_group(self, Unit* unit, int32_t g, int32_t partition, int32_t begin, int32_t end) noexcept nogil:
        cdef Group* group = &unit.groups[g]
        group.partition = partition
        group.begin = begin
        group.end = end
        group.failed_row = -1
        group.failure = NULL
        group.unit = unit


cdef void merge_groups(Unit* unit, int32_t width, int32_t list_column, int32_t limit) noexcept nogil:
    """Gather the groups' outputs into ``unit.spare`` in the order of their input rows, and make them current.

    Outputs of rows from ``limit`` on (where a tuple was refused) are left out.
    """
    cdef Columns* out = unit.spare
    cdef Columns* part
    cdef int32_t n = unit.now.n, g, i, k, total = 0, row, place, kept
    cdef uint32_t* next_place = unit.partition_of       # free again: the groups hold the index
    cdef int64_t base
    memset(next_place, 0, n * sizeof(uint32_t))
    for g in range(unit.n_groups):
        part = &unit.groups[g].out
        for i in range(part.n):
            next_place[part.source_row[i]] += 1
    for row in range(n):
        place = total
        if row < limit:
            total += <int32_t>next_place[row]
        next_place[row] = <uint32_t>place
    reset(out, width)
    reserve(out, total)
    for g in range(unit.n_groups):
        part = &unit.groups[g].out
        kept = part.n
        while kept > 0 and <int32_t>part.source_row[kept - 1] >= limit:
            kept -= 1
        base = out.heap_n
        if list_column >= 0 and part.heap_n:
            reserve_heap(out, part.heap_n)
            memcpy(&out.heap[base], part.heap, part.heap_n * sizeof(int64_t))
            out.heap_n += part.heap_n
        for i in range(kept):
            row = <int32_t>part.source_row[i]
            place = <int32_t>next_place[row]
            next_place[row] = <uint32_t>(place + 1)
            for k in range(width):
                out.column[k][place] = part.column[k][i]
            if list_column >= 0:
                out.column[list_column][place] += base
    out.n = total
    swap(unit)
