"""A plan: how the engine `ordered` cuts a pipeline into segments, and which of them run by partition."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic
from streambench.pyx.machine.padded cimport CounterLine
from streambench.pyx.tuples.unit cimport MAX_OPERATORS

cdef enum:
    TURNS_OF_A_LINE = 8

cdef struct Cuts:
    # What a plan is made of: bits by the operator's place. No head: one worker runs the whole pipeline.
    uint32_t heads          # operators that begin a segment
    uint32_t sharded        # of these, the ones that run by partition, in several workers at a time; and those that run
                            # along with one of these, see `dealt_end`
    int32_t resting         # workers that rest, because somebody else is on so many cores

cdef struct Segment:
    int32_t head            # operators head .. tail - 1 run in unit order: by partition, or one worker at a time
    int32_t tail            # operators tail .. end - 1 are stateless: by whoever has finished the unit, in any order
    int32_t end
    int32_t shards          # turns: 1, or the partitions of a sharded head
    bint sharded
    bint dealt              # of a sharded one: operators head .. tail - 1 run by partition of what they make
    CounterLine* turns      # per shard (next unit << 1) | taken, 16 to a line: who takes it may process that unit

cdef struct Plan:
    # Never changed once workers may see it, but for the turns.
    Cuts cuts
    int64_t epoch           # tells the units of this plan from those of the next, whose first one
                            # its turns stand at in the end
    int32_t n_segments      # segment 0 is the source's; none in a whole plan
    Segment segments[MAX_OPERATORS]

cdef Cuts completed(Cuts cuts, const int* kinds, const int32_t* dealt, int32_t n_operators) noexcept nogil
cdef Plan* new_plan(Cuts cuts, int64_t epoch, int64_t serial, const int* kinds, const int32_t* partitions,
                    const int32_t* dealt, int32_t n_operators) noexcept nogil
cdef void delete_plan(Plan* plan) noexcept nogil

cdef inline int32_t dealt_end(Cuts cuts, const int32_t* dealt, int32_t place) noexcept nogil:
    """Where the operators end that run by partition of what they make, with a head at ``place``; 0: there are none.

    ``dealt``: by the place of the first one, where they would end. All of them have the bit of those that run by
    partition, and behind the first one there is no head.
    """
    cdef uint32_t along = (<uint32_t>1 << dealt[place]) - (<uint32_t>1 << place)
    if dealt[place] == 0 or cuts.sharded & along != along or cuts.heads & along != <uint32_t>1 << place:
        return 0
    return dealt[place]

cdef inline atomic[int64_t]* turn_of(Segment* segment, int32_t shard) noexcept nogil:
    return &segment.turns[shard >> 4].value[shard & 15]

cdef inline void* line_of(Segment* segment, int32_t shard) noexcept nogil:
    """The cache line of 64 bytes that this turn is on."""
    return turn_of(segment, shard - shard % TURNS_OF_A_LINE)

cdef inline bint whole(Plan* plan) noexcept nogil:
    """Is the whole pipeline one segment? A worker then takes a unit from the source to the sink."""
    return plan.n_segments == 0

cdef inline int64_t ready_for(Plan* plan, int64_t serial, int32_t segment) noexcept nogil:
    """What a unit's ``ready`` holds when segment ``segment`` of the plan may take it; different for any other.

    Serial and epoch are cut off, at 40 and 19 bits: any two that can be taken for each other are near each other.
    """
    return <int64_t>((<uint64_t>serial << 24) | ((<uint64_t>plan.epoch & 0x7FFFF) << 5) | <uint64_t>segment)
