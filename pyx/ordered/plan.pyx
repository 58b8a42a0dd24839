"""Plans: cutting a pipeline into segments, with one synchronisation per keyed or stateful operator, or fewer.

A segment begins at its head, a keyed or stateful operator or the sink. It runs its operators one worker at a time, in
unit order: its turn is a word that holds the next unit's number. A *sharded* segment runs its head by partition: each
shard, one partition, has a turn of its own, so that several workers share the operator, and a unit's results are
written in place. Operators that are *dealt* (``partition.dealt``) run by partition of what they make, one segment of
several operators. Stateless operators at a segment's end need no order and run outside the turn.

The stateless operators behind the source belong to the source's segment, number 0, which any
number of workers may be in.
"""

from libc.stdlib cimport free
from libc.string cimport memset
from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.tuples.apply cimport PARTITIONED, STATELESS
from streambench.pyx.machine.memory cimport enlarge
from streambench.pyx.machine.padded cimport delete_counter_lines, new_counter_lines


cdef Cuts completed(Cuts cuts, const int* kinds, const int32_t* dealt, int32_t n_operators) noexcept nogil:
    """Add the heads that cannot be missing: what needs order begins a segment behind the
    source, and behind a sharded head.

    Operators that are no heads run by partition only along with one that they are dealt with.
    """
    cdef bint unordered = True
    cdef int32_t place, end = 0
    if cuts.heads == 0:
        return cuts
    for place in range(1, n_operators):
        if place < end:
            continue
        if kinds[place] != STATELESS and unordered:
            cuts.heads |= <uint32_t>1 << place
        if cuts.heads >> place & 1:
            end = dealt_end(cuts, dealt, place)
            if end == 0 and kinds[place] != PARTITIONED:        # it was to run along with one that is dealt no longer
                cuts.sharded &= ~(<uint32_t>1 << place)
            unordered = cuts.sharded >> place & 1
        else:
            cuts.sharded &= ~(<uint32_t>1 << place)
    return cuts


cdef Plan* new_plan(Cuts cuts, int64_t epoch, int64_t serial, const int* kinds, const int32_t* partitions,
                    const int32_t* dealt, int32_t n_operators) noexcept nogil:
    """Return a plan whose turns stand at unit ``serial``. ``kinds`` and ``partitions`` by the operator's place."""
    cdef Plan* plan = <Plan*>enlarge(NULL, sizeof(Plan))
    cdef Segment* segment
    cdef int32_t place, first = 1, k, least = 1
    memset(plan, 0, sizeof(Plan))
    cuts = completed(cuts, kinds, dealt, n_operators)
    plan.cuts = cuts
    plan.epoch = epoch
    if cuts.heads == 0:
        return plan
    while kinds[first] == STATELESS:
        first += 1
    plan.segments[0].head = 0
    plan.segments[0].tail = 1
    plan.segments[0].end = first
    plan.n_segments = 1
    segment = &plan.segments[0]
    for place in range(first, n_operators):
        if cuts.heads >> place & 1:
            segment = &plan.segments[plan.n_segments]
            plan.n_segments += 1
            segment.head = place
            segment.sharded = cuts.sharded >> place & 1
            segment.dealt = dealt_end(cuts, dealt, place) > 0
            least = max(place + 1, dealt_end(cuts, dealt, place))
            segment.shards = partitions[place] if segment.sharded else 1
            segment.turns = new_counter_lines((segment.shards + 15) // 16)
            for k in range(segment.shards):
                turn_of(segment, k).store(serial << 1, memory_order_relaxed)    # published with the plan
        segment.end = place + 1
        segment.tail = segment.end
        while segment.tail > least and kinds[segment.tail - 1] == STATELESS:
            segment.tail -= 1
    return plan


cdef void delete_plan(Plan* plan) noexcept nogil:
    cdef int32_t j
    for j in range(1, plan.n_segments):
        delete_counter_lines(plan.segments[j].turns)
    free(plan)
