"""The words at which workers meet in a segment: its turns, and whether a unit may be taken.

Nothing waits for a turn: a worker that finds it taken does something else.
"""

from libc.stdint cimport int32_t, int64_t
from libcpp.atomic cimport memory_order_acquire, memory_order_relaxed, memory_order_seq_cst
from streambench.pyx.machine.simulated cimport READY, TURN, let_go, look, take_hold, touch
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.ordered.plan cimport TURNS_OF_A_LINE, Segment, line_of, turn_of
from streambench.pyx.tuples.unit cimport Unit

cdef inline int64_t read_turn(Segment* segment, int32_t shard) noexcept nogil:
    """Where a turn stands; of several shards, the first of each line first."""
    if shard % TURNS_OF_A_LINE == 0:
        look(TURN, line_of(segment, shard))
    return turn_of(segment, shard).load(memory_order_seq_cst)

cdef inline bint take_turn(Segment* segment, int32_t shard, int64_t turn) noexcept nogil:
    yield_point()
    touch(TURN, line_of(segment, shard))
    # Acquire pairs with the release in leave_turn: the operators' state is as the last holder left it.
    if not turn_of(segment, shard).compare_exchange_strong(
            turn, turn | 1, memory_order_acquire, memory_order_relaxed):
        return False
    take_hold(TURN, segment.head, turn_of(segment, shard))
    return True

cdef inline void leave_turn(Segment* segment, int32_t shard, int64_t serial) noexcept nogil:
    """Leave the turn to the next worker, at that unit; then look for sleepers."""
    yield_point()
    touch(TURN, line_of(segment, shard))
    let_go(TURN, segment.head, turn_of(segment, shard))
    # Release pairs with take_turn. A read-modify-write, seq_cst, before the look for
    # sleepers: there may be more to do.
    turn_of(segment, shard).exchange(serial << 1, memory_order_seq_cst)

cdef inline int64_t readiness_of(Unit* unit) noexcept nogil:
    look(READY, unit.ready)
    # Pairs with set_readiness: acquire for what the unit holds, seq_cst for a worker that looks before it sleeps.
    return unit.ready.value.load(memory_order_seq_cst)

cdef inline void set_readiness(Unit* unit, int64_t readiness) noexcept nogil:
    """Let a segment take the unit, as ``ready_for`` says; then look for sleepers."""
    yield_point()
    touch(READY, unit.ready)
    # A read-modify-write, seq_cst: before the look for sleepers (see parking). Pairs with readiness_of.
    unit.ready.value.exchange(readiness, memory_order_seq_cst)
