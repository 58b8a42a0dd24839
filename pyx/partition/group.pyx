"""Groups: the tuples of a unit that fall into one partition.

The worker that produces a unit scatters it, before it is ordered; each group is processed by one worker; the worker
that finishes the last one gathers the outputs in the order of the input rows, so that they take their inputs' places.

An operator that emits far more than it is given may stop in each group (``columns.enough``). Then the outputs
of the rows before the first one that is left in any group are gathered, as a piece of the unit. The outputs of
later rows stay in their groups. When the piece has gone on, groups that have stopped are processed again,
unless they still hold enough.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memmove, memset
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.partition.every_partition cimport wants_every_unit
from streambench.pyx.partition.partitioning cimport Partitioning
from streambench.pyx.tuples.columns cimport NO_END, Columns, reserve, reserve_heap, reset_after, widen
from streambench.pyx.tuples.layout cimport size_of
from streambench.pyx.tuples.operator cimport PartitionedStateful
from streambench.pyx.tuples.place_rows cimport MOST_PASSES, PLACED_AT_ONCE, can_place_rows, place_rows
from streambench.pyx.tuples.unit cimport (
    Group, Unit, fail_unit, has_stopped, hold_groups, need_groups, need_identity, need_order, need_starts, swap,
    take_up_groups,
)

cdef enum:
    LEAST_OF_GROUP = 1024               # tuples of a piece that a group may have, however many groups there are


cdef void scatter(Partitioning partitioning, PartitionedStateful operator, int32_t place, Unit* unit,
                  bint empty_too) noexcept nogil:
    """Index ``unit.now`` by partition, for ``operator``, the one at ``place`` in the pipeline.

    Groups hold row numbers in ascending order, and stand in the order of their partitions. ``empty_too``, or where the
    operator is an ``EveryPartition``: each partition has a group, at its number. Otherwise only those with rows have
    one; a unit without any has one group, of partition 0.
    """
    cdef int32_t n = unit.now.n
    unit.tuples_in[place] += n
    empty_too = empty_too or wants_every_unit(operator)
    if partitioning.partitions == 1 or (n <= 1 and not empty_too):
        index_as_one(partitioning, operator, unit)
    else:
        index_rows(partitioning, operator, unit, empty_too)
    if unit.index.n_groups == 1:
        need_identity(unit, n)                      # all in one partition: read as a unit that has no index
    # Relaxed: what hands the groups on, a queue or the unit's readiness, publishes it.
    unit.pending.value.store(unit.index.n_groups, memory_order_relaxed)
    unit.index.given_width = unit.now.width
    unit.index.gone_on = 0
    if operator.in_place:
        widen(unit.now, operator.emitted_width, operator.layout)


cdef void index_as_one(Partitioning partitioning, PartitionedStateful operator, Unit* unit) noexcept nogil:
    """A unit that must lie in one partition: there is no other, or it has one tuple, or none."""
    cdef int32_t partition = 0
    need_groups(unit, 1)
    if partitioning.partitions > 1 and unit.now.n == 1:
        need_order(unit, 1)
        operator.select_keys(unit.now, unit.index.keys)
        partition = partitioning.partition(unit.index.keys[0])
    open_group(unit, 0, partition, 0, unit.now.n)
    unit.index.n_groups = 1


cdef void index_rows(Partitioning partitioning, PartitionedStateful operator, Unit* unit,
                     bint empty_too) noexcept nogil:
    """Many rows of few partitions: a pass for each, where the processor places many rows at a
    time; else a counting sort."""
    cdef int32_t partitions = partitioning.partitions, n = unit.now.n, row, p, g = 0, begin = 0, count
    cdef bint in_passes = partitions <= MOST_PASSES and n >= PLACED_AT_ONCE and can_place_rows()
    cdef int32_t* starts = NULL
    cdef uint32_t* partition_of
    cdef uint32_t* order
    need_order(unit, max(n, 1))             # an empty unit has an index too, if an empty one
    need_groups(unit, partitions if empty_too else min(n, partitions))
    partition_of = unit.index.partition_of
    order = unit.index.order
    operator.select_keys(unit.now, unit.index.keys)
    partitioning.partition_all(unit.index.keys, partition_of, n)
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
    unit.index.n_groups = g


cdef inline void open_group(Unit* unit, int32_t g, int32_t partition, int32_t begin, int32_t end) noexcept nogil:
    cdef Group* group = &unit.index.groups[g]
    group.partition = partition
    group.begin = begin
    group.end = end
    group.again = False
    group.failed_row = -1
    group.failure = NULL
    group.unit = unit


cdef inline void view_columns(Columns* rows, Columns* out) noexcept nogil:
    """Let ``out`` stand for the same memory; groups that refuse tuples at the same time then
    each say why in their own."""
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
    cdef uint32_t* rows = unit.index.order
    cdef int32_t n = group.end - group.begin
    cdef bint alone = unit.index.n_groups == 1
    if alone:
        rows = unit.identity
        out = unit.now if operator.in_place else unit.spare
    if not operator.in_place:
        if alone or not group.again:
            reset_after(out, unit.now, operator.emitted_width, operator.layout)
        out.most = most_of_group(unit)
        if out.n >= out.most:
            return                      # of rows that have to wait: there are enough of them
    elif not alone:
        view_columns(unit.now, out)
    group.again = True
    if n == 0 and (unit.now.n == 0 or not wants_every_unit(operator)):
        return
    out.taken = n
    group.failed_row = operator.process(group.partition, unit.now, rows + group.begin, n, out)
    if group.failed_row >= 0:
        group.failure = out.failure
    else:
        group.begin += out.taken


cdef inline int32_t most_of_group(const Unit* unit) noexcept nogil:
    """Outputs with which the operator may stop in a group: its share of a piece."""
    if unit.most == NO_END:
        return NO_END
    return max(unit.most // unit.index.n_groups, LEAST_OF_GROUP)


cdef void gather(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil:
    """All groups are processed: put their outputs in the order of the input, up to the first row
    that was refused or is left.

    A refused row truncates the unit; what is left the unit holds, with the outputs of later rows.
    """
    cdef int32_t g, row, first = -1, limit = unit.now.n
    cdef Group* groups = unit.index.groups
    cdef bint stopped
    for g in range(unit.index.n_groups):
        row = first_without_outputs(unit, g)
        if 0 <= row < limit:
            first = g
            limit = row
    stopped = first >= 0 and has_stopped(&groups[first])
    if first >= 0 and not stopped:
        fail_unit(unit, place, unit.now, unit.index.given_width, limit, groups[first].failure)
    if operator.in_place:
        unit.now.n = limit
        return
    if unit.index.n_groups > 1:
        merge_groups(unit, operator, limit)
    if stopped:
        unit.index.gone_on = limit
        hold_groups(unit, place)
    swap(unit)


cdef inline int32_t first_without_outputs(const Unit* unit, int32_t g) noexcept nogil:
    """The first row of a group that was refused, or is left; -1: there is none."""
    cdef const Group* group = &unit.index.groups[g]
    if group.failed_row >= 0:
        return group.failed_row
    if group.begin == group.end:
        return -1
    return group.begin if unit.index.n_groups == 1 else <int32_t>unit.index.order[group.begin]


cdef void apply_by_group(Partitioning partitioning, PartitionedStateful operator, int32_t place,
                         Unit* unit) noexcept nogil:
    """All of it in one worker, where an operator's state is by partition: scatter, process and gather."""
    cdef int32_t g
    scatter(partitioning, operator, place, unit, False)
    for g in range(unit.index.n_groups):
        process_group(operator, &unit.index.groups[g])
    gather(operator, place, unit)


cdef void apply_rest_by_group(PartitionedStateful operator, int32_t place, Unit* unit) noexcept nogil:
    """The same for a unit's next piece: the operator goes on in the groups in which it has stopped."""
    cdef int32_t g
    take_up_groups(unit)
    unit.again = True
    for g in range(unit.index.n_groups):
        if has_stopped(&unit.index.groups[g]):
            process_group(operator, &unit.index.groups[g])
    gather(operator, place, unit)


ctypedef fused copied_t:
    int64_t
    int32_t
    int16_t
    int8_t


cdef inline void place_values(copied_t* merged, const copied_t* input, const uint32_t* places,
                              int32_t n) noexcept nogil:
    cdef int32_t i
    for i in range(n):
        merged[places[i]] = input[i]


cdef void place_column(void* merged, const void* input, int32_t size, const uint32_t* places, int32_t n) noexcept nogil:
    """Copy value i of ``input``, of ``size`` bytes, to ``places[i]``; by words where there are words of that size."""
    cdef int32_t i
    if size == 8:
        place_values(<int64_t*>merged, <const int64_t*>input, places, n)
    elif size == 4:
        place_values(<int32_t*>merged, <const int32_t*>input, places, n)
    elif size == 2:
        place_values(<int16_t*>merged, <const int16_t*>input, places, n)
    elif size == 1:
        place_values(<int8_t*>merged, <const int8_t*>input, places, n)
    else:
        for i in range(n):
            memcpy(<char*>merged + <int64_t>places[i] * size, <const char*>input + <int64_t>i * size, size)


cdef void merge_groups(Unit* unit, PartitionedStateful operator, int32_t limit) noexcept nogil:
    """Gather the groups' outputs into ``unit.spare`` in the order of their input rows.

    Outputs of rows from ``limit`` on stay in their groups.
    """
    cdef Columns* out = unit.spare
    cdef Columns* part
    cdef int32_t g, i, k, total = 0, row, emitted, kept, from_row = unit.index.gone_on
    cdef int32_t list_column = operator.list_column
    cdef uint32_t* next_place = unit.index.partition_of     # free again: the groups hold the index
    cdef uint32_t* places
    cdef int64_t* merged
    cdef int64_t base
    memset(next_place + from_row, 0, (limit - from_row) * sizeof(uint32_t))
    for g in range(unit.index.n_groups):
        part = &unit.index.groups[g].out
        for i in range(outputs_before(part, limit)):
            next_place[part.source_row[i]] += 1
    for row in range(from_row, limit):
        emitted = <int32_t>next_place[row]
        next_place[row] = <uint32_t>total
        total += emitted
    reset_after(out, unit.now, operator.emitted_width, operator.layout)
    reserve(out, total)
    for g in range(unit.index.n_groups):
        part = &unit.index.groups[g].out
        kept = outputs_before(part, limit)
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
        drop_outputs(part, kept, list_column)
    out.n = total


cdef int32_t outputs_before(const Columns* part, int32_t limit) noexcept nogil:
    """How many of a group's outputs are of rows before ``limit``: the first ones, as rows ascend."""
    cdef int32_t low = 0, high = part.n, middle
    if high == 0 or <int32_t>part.source_row[high - 1] < limit:
        return high
    while low < high:
        middle = (low + high) >> 1
        if <int32_t>part.source_row[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


cdef void drop_outputs(Columns* part, int32_t kept, int32_t list_column) noexcept nogil:
    """The first ``kept`` outputs have been gathered: move those that stay to the front."""
    cdef int32_t k, i, size, rest = part.n - kept
    cdef int64_t first
    part.n = rest
    if rest == 0:
        part.heap_n = 0
        return
    if kept == 0:
        return
    for k in range(part.width):
        size = size_of(part.layout, k)
        memmove(part.column[k], <char*>part.column[k] + <int64_t>kept * size, <int64_t>rest * size)
    memmove(part.source_row, part.source_row + kept, rest * sizeof(uint32_t))
    if list_column >= 0 and part.heap_n:
        first = part.column[list_column][0]
        for i in range(1, rest):
            first = min(first, part.column[list_column][i])
        for i in range(rest):
            part.column[list_column][i] -= first
        part.heap_n -= first
        memmove(part.heap, part.heap + first, part.heap_n * sizeof(int64_t))
