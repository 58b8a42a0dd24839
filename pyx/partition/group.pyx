"""Groups: the tuples of a unit that fall into one partition.

The worker that produces a unit scatters it, before it is ordered; each group is processed by one worker; the worker that
finishes the last one gathers the outputs in the order of the input rows, so that they take their inputs' places.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.tuples.columns cimport Columns, reserve, reserve_heap, reset_after, widen
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.tuples.place_rows cimport MOST_PASSES, PLACED_AT_ONCE, can_place_rows, place_rows
from streambench.pyx.tuples.unit cimport Group, Unit, fail_unit, need_groups, need_identity, need_order, need_starts, swap


cdef void scatter(Partitioning partitioning, PartitionedStateful operator, int32_t place, Unit* unit,
                  bint empty_too) noexcept nogil:
    """Index ``unit.now`` by partition, for ``operator``, the one at ``place`` in the pipeline.

    Groups hold row numbers in ascending order, and stand in the order of their partitions. ``empty_too``: each partition has
    a group, at its number. Otherwise only those have one that have rows; a unit without any has one group, of partition 0.
    """
    cdef int32_t n = unit.now.n
    unit.tuples_in[place] += n
    if partitioning.partitions == 1 or (n <= 1 and not empty_too):
        index_as_one(partitioning, operator, unit)
    else:
        index_rows(partitioning, operator, unit, empty_too)
    if unit.n_groups == 1:
        need_identity(unit, n)                      # all in one partition: read as a unit that has no index
    # Relaxed: what hands the groups on, a queue or the unit's readiness, publishes it.
    unit.pending.value.store(unit.n_groups, memory_order_relaxed)
    unit.given_width = unit.now.width
    if operator.in_place:
        widen(unit.now, operator.emitted_width, operator.layout)


cdef void index_as_one(Partitioning partitioning, PartitionedStateful operator, Unit* unit) noexcept nogil:
    """A unit that must lie in one partition: there is no other, or it has one tuple, or none."""
    cdef int32_t partition = 0
    need_groups(unit, 1)
    if partitioning.partitions > 1 and unit.now.n == 1:
        need_order(unit, 1)
        operator.select_keys(unit.now, unit.keys)
        partition = partitioning.partition(unit.keys[0])
    open_group(unit, 0, partition, 0, unit.now.n)
    unit.n_groups = 1


cdef void index_rows(Partitioning partitioning, PartitionedStateful operator, Unit* unit, bint empty_too) noexcept nogil:
    """Many rows of few partitions: a pass for each, where the processor places many rows at a time; else a counting sort."""
    cdef int32_t partitions = partitioning.partitions, n = unit.now.n, row, p, g = 0, begin = 0, count
    cdef bint in_passes = partitions <= MOST_PASSES and n >= PLACED_AT_ONCE and can_place_rows()
    cdef int32_t* starts = NULL
    cdef uint32_t* partition_of
    cdef uint32_t* order
    need_order(unit, max(n, 1))             # an empty unit has an index too, if an empty one
    need_groups(unit, partitions if empty_too else min(n, partitions))
    partition_of = unit.partition_of
    order = unit.order
    operator.select_keys(unit.now, unit.keys)
    partitioning.partition_all(unit.keys, partition_of, n)
    if not in_passes:
        need_starts(unit, partitions)
        starts = unit.starts
        memset(starts, 0, partitions * sizeof(int32_t))
        for row in range(n):
            starts[partition_of[row]] += 1
    for p in range(partitions):
        if in_passes:                       # ascending: what is written too far is overwritten
            count = place_rows(partition_of, n, <uint32_t>p, order + begin)
        else:
            count = starts[p]
            starts[p] = begin
        if count > 0 or empty_too:
            open_group(unit, g, p, begin, begin + count)
            g += 1
        begin += count
    if not in_passes:
        for row in range(n):
            p = <int32_t>partition_of[row]
            order[starts[p]] = <uint32_t>row
            starts[p] += 1
    unit.n_groups = g


cdef inline void open_group(Unit* unit, int32_t g, int32_t partition, int32_t begin, int32_t end) noexcept nogil:
    cdef Group* group = &unit.groups[g]
    group.partition = partition
    group.begin = begin
    group.end = end
    group.failed_row = -1
    group.failure = NULL
    group.unit = unit


cdef inline void view_columns(Columns* rows, Columns* out) noexcept nogil:
    """Let ``out`` stand for the same memory; groups that refuse tuples at the same time then each say why in their own."""
    cdef int32_t k
    out.n = rows.n
    out.width = rows.width
    out.layout = rows.layout
    out.first_time = rows.first_time
    out.last_time = rows.last_time
    out.capacity = 0                # not its own: the next user starts with what it owns
    for k in range(rows.width):
        out.column[k] = rows.column[k]


cdef void process_group(PartitionedStateful operator, Group* group) noexcept nogil:
    """Process a group. Outputs go to the group's own columns, or straight to the unit where it is the only group."""
    cdef Unit* unit = <Unit*>group.unit
    cdef Columns* out = &group.out
    cdef uint32_t* rows = unit.order
    if unit.n_groups == 1:
        rows = unit.identity
        out = unit.spare
    if not operator.in_place:
        reset_after(out, unit.now, operator.emitted_width, operator.layout)
    elif unit.n_groups == 1:
        out = unit.now
    else:
        view_columns(unit.now, out)
    if group.end == group.begin:
        return
    group.failed_row = operator.process(group.partition, unit.now, rows + group.begin, group.end - group.begin, out)
    if group.failed_row >= 0:
        group.failure = out.failure


cdef void gather(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil:
    """All groups are processed: put their outputs in the order of the input; the first refused row truncates the unit."""
    cdef int32_t g, first = -1, limit = unit.now.n
    for g in range(unit.n_groups):
        if unit.groups[g].failed_row >= 0 and (first < 0 or unit.groups[g].failed_row < unit.groups[first].failed_row):
            first = g
    if first >= 0:
        limit = unit.groups[first].failed_row
        fail_unit(unit, place, unit.now, unit.given_width, limit, unit.groups[first].failure)
    if operator.in_place:
        unit.now.n = limit
    elif unit.n_groups == 1:
        swap(unit)
    else:
        merge_groups(unit, operator, limit)


cdef void apply_by_group(Partitioning partitioning, PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil:
    """All of it in one worker, where an operator's state is by partition: scatter, process and gather."""
    cdef int32_t g
    scatter(partitioning, operator, place, unit, False)
    for g in range(unit.n_groups):
        process_group(operator, &unit.groups[g])
    gather(operator, place, unit)


ctypedef fused copied_t:
    int64_t
    int32_t
    int16_t
    int8_t


cdef inline void place_values(copied_t* merged, const copied_t* given, const uint32_t* places, int32_t n) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        merged[places[i]] = given[i]


cdef void place_column(void* merged, const void* given, int32_t size, const uint32_t* places, int32_t n) noexcept nogil:
    """Copy value i of ``given``, of ``size`` bytes, to ``places[i]``; by words where there are words of that size."""
    cdef int32_t i
    if size == 8:
        place_values(<int64_t*>merged, <const int64_t*>given, places, n)
    elif size == 4:
        place_values(<int32_t*>merged, <const int32_t*>given, places, n)
    elif size == 2:
        place_values(<int16_t*>merged, <const int16_t*>given, places, n)
    elif size == 1:
        place_values(<int8_t*>merged, <const int8_t*>given, places, n)
    else:
        for i in range(n):
            memcpy(<char*>merged + <int64_t>places[i] * size, <const char*>given + <int64_t>i * size, size)


cdef void merge_groups(Unit* unit, PartitionedStateful operator, int32_t limit) noexcept nogil:
    """Gather the groups' outputs into ``unit.spare`` in the order of their input rows, and make them current.

    Outputs of rows from ``limit`` on (where a tuple was refused) are left out.
    """
    cdef Columns* out = unit.spare
    cdef Columns* part
    cdef int32_t g, i, k, total = 0, row, emitted, kept, list_column = operator.list_column
    cdef uint32_t* next_place = unit.partition_of       # free again: the groups hold the index
    cdef uint32_t* places
    cdef int64_t* merged
    cdef int64_t base
    memset(next_place, 0, unit.now.n * sizeof(uint32_t))
    for g in range(unit.n_groups):
        part = &unit.groups[g].out
        for i in range(part.n):
            next_place[part.source_row[i]] += 1
    for row in range(limit):
        emitted = <int32_t>next_place[row]
        next_place[row] = <uint32_t>total
        total += emitted
    reset_after(out, unit.now, operator.emitted_width, operator.layout)
    reserve(out, total)
    for g in range(unit.n_groups):
        part = &unit.groups[g].out
        kept = part.n
        while kept > 0 and <int32_t>part.source_row[kept - 1] >= limit:
            kept -= 1
        places = part.source_row                        # of a row no longer needed: in its stead, where it goes
        for i in range(kept):
            row = <int32_t>places[i]
            places[i] = next_place[row]
            next_place[row] += 1
        for k in range(out.width):                      # a column after the other: the inner loop is a copy
            place_column(out.column[k], part.column[k], size_of(out.layout, k), places, kept)
        if list_column >= 0:
            base = out.heap_n
            if part.heap_n:
                reserve_heap(out, part.heap_n)
                memcpy(&out.heap[base], part.heap, part.heap_n * sizeof(int64_t))
                out.heap_n += part.heap_n
            merged = out.column[list_column]
            for i in range(kept):
                merged[places[i]] += base
    out.n = total
    swap(unit)
