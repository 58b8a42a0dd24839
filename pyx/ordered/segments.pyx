"""Visits to segments: a worker takes a turn, processes the units that are ready, and passes the turn on.

A unit's word ``ready`` says which segment may take it; per segment, and per shard of a sharded one, one word says which
unit is next and whether somebody has taken the turn (the travelling turn of paper 003). Nothing waits for a turn: who
finds it taken does something else.

A unit of which an operator has not taken all (``apply``) goes round: who has brought one piece of it to the sink makes
the next one. Until the last piece no turn behind the operator goes on to the next unit. The unit keeps the turn of the
segment whose operator is to go on, so that whoever makes the piece has it; and, once their groups are processed, those
of shards, until the next piece comes. Where the operator is a sharded one, the unit keeps the turns of shards in whose
groups it has stopped; these groups are shared out again.
"""

from libcpp.atomic cimport memory_order_relaxed
from streambench.pyx.engine.worker_log cimport WHOLE_UNITS, begin_span, end_span
from streambench.pyx.machine.parking cimport wake_one
from streambench.pyx.machine.yield_points cimport yield_point
from streambench.pyx.ordered.plan cimport ready_for
from streambench.pyx.ordered.turns cimport leave_turn, read_turn, readiness_of, set_readiness, take_turn
from streambench.pyx.tuples.unit cimport has_stopped, held_at, take_up_groups
from streambench.pyx.tuples.work cimport end_group


cdef class Segments:
    """Where ``ingress`` holds the units that ``operators`` process."""

    def __init__(self, Ingress ingress, MeteredOperators operators):
        self.ingress = ingress
        self.egress = ingress.egress
        self.operators = operators
        self.parking = ingress.egress.token.parking

    cdef bint visit(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        """Work in segment ``j``. False: there is nothing to be had just now."""
        if plan.segments[j].sharded:
            return self.visit_shard(plan, j, mine)
        return self.visit_segment(plan, j, mine)

    cdef bint visit_segment(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        """Take the turn of a segment that is not sharded, if it is there with a unit to
        process, for all that are ready."""
        cdef Segment* segment = &plan.segments[j]
        cdef int64_t turn = read_turn(segment, 0), serial = turn >> 1
        cdef Unit* unit
        cdef Unit* pieces = NULL
        cdef bint last = j + 1 == plan.n_segments, kept
        cdef int64_t first = serial, begun
        if turn & 1 or not self.is_ready(plan, j, serial) or not self.take(plan, j, 0, turn):
            return False
        begun = begin_span(mine.log)
        # Looked at with the turn: who takes it from one who met a refused tuple sees that nothing may follow.
        while self.egress.stopped.value.load(memory_order_relaxed) == 0:
            unit = &self.ingress.units[serial & self.ingress.mask]
            self.operators.operate(unit, segment.head, segment.tail, &mine.watch)
            if unit.n_held > 0:
                pieces = unit
                break
            serial += 1
            if last:
                self.egress.deliver(unit)
            elif self.needs_finish(plan, j):
                mine.finished[mine.n_finished] = unit
                mine.n_finished += 1
            else:
                self.publish(plan, j + 1, unit)
            if mine.n_finished == MOST_FINISHED or not self.is_ready(plan, j, serial):
                break
        if pieces is NULL:
            self.pass_turn(segment, 0, serial)
            self.finish_all(plan, j, mine)
        else:
            self.finish_all(plan, j, mine)
            # in the last one: the run is stopped amid the unit, which stays here
            kept = held_at(pieces) >= segment.head
            if not last:
                self.finish(plan, j, segment.tail, pieces, mine)
            elif not kept:
                self.next_piece(plan, pieces, mine)
            if not kept:
                self.pass_turn(segment, 0, serial)  # it comes again: only now is it no longer ready for this segment
        end_span(mine.log, begun, segment.head, segment.end, WHOLE_UNITS, serial - first + (pieces is not NULL))
        return True

    cdef bint visit_shard(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        """Of the shards that nobody has and that have work, take the one that is behind most, and bring it on."""
        cdef Segment* segment = &plan.segments[j]
        cdef int64_t turn, serial_taken = -1, serial
        cdef int32_t k, shard = -1
        cdef int64_t rows = 0, whole, begun
        cdef bint comes_again = False
        cdef Unit* unit
        for k in range(segment.shards):
            turn = read_turn(segment, k)
            if turn & 1 == 0 and (shard < 0 or turn < serial_taken) and self.is_ready(plan, j, turn >> 1):
                shard = k
                serial_taken = turn
        if shard < 0 or not self.take(plan, j, shard, serial_taken):
            return False
        begun = begin_span(mine.log)
        serial = serial_taken >> 1
        while True:
            unit = &self.ingress.units[serial & self.ingress.mask]
            serial += 1
            rows += unit.index.groups[shard].end - unit.index.groups[shard].begin
            whole = unit.now.n
            if segment.dealt:
                self.operators.process_dealt(segment.head, unit, shard, &mine.watch)
            else:
                self.operators.process_shard(segment.head, unit, shard, &mine.watch)
            comes_again = unit.n_held > 0 or has_stopped(&unit.index.groups[shard])
            yield_point()
            if end_group(unit):
                mine.finished[mine.n_finished] = unit
                mine.n_finished += 1
            # as much as one unit has for all shards
            if (comes_again or rows > whole or mine.n_finished == MOST_FINISHED
                    or self.egress.stopped.value.load(memory_order_relaxed) != 0 or not self.is_ready(plan, j, serial)):
                break
        if not comes_again:
            self.pass_turn(segment, shard, serial)
        self.finish_all(plan, j, mine)
        end_span(mine.log, begun, segment.head, segment.end, shard, serial - (serial_taken >> 1))
        return True

    cdef bint is_ready(self, Plan* plan, int32_t j, int64_t serial) noexcept nogil:
        return readiness_of(&self.ingress.units[serial & self.ingress.mask]) == ready_for(plan, serial, j)

    cdef bint take(self, Plan* plan, int32_t j, int32_t shard, int64_t turn) noexcept nogil:
        """Take a turn that stands at a unit that was ready, if it still does and that still is."""
        if not take_turn(&plan.segments[j], shard, turn):
            return False
        if self.is_ready(plan, j, turn >> 1):
            return True
        self.pass_turn(&plan.segments[j], shard, turn >> 1)     # a piece came and went, and the turn is where it was
        return False

    cdef void pass_turn(self, Segment* segment, int32_t shard, int64_t serial) noexcept nogil:
        leave_turn(segment, shard, serial)
        wake_one(self.parking)

    cdef bint needs_finish(self, Plan* plan, int32_t j) noexcept nogil:
        """Is there anything to do for a unit between this segment's turn and the next segment?"""
        return plan.segments[j].end > plan.segments[j].tail or plan.segments[j + 1].sharded

    cdef void finish_all(self, Plan* plan, int32_t j, Mine* mine) noexcept nogil:
        cdef int32_t k
        for k in range(mine.n_finished):
            if plan.segments[j].dealt:
                self.operators.gather_dealt(plan.segments[j].head, mine.finished[k], &mine.watch)
            elif plan.segments[j].sharded:
                self.operators.gather(plan.segments[j].head, mine.finished[k], &mine.watch)
            self.finish(plan, j, plan.segments[j].tail, mine.finished[k], mine)
        mine.n_finished = 0

    cdef void finish(self, Plan* plan, int32_t j, int32_t place, Unit* unit, Mine* mine) noexcept nogil:
        """Outside any turn: the segment's operators from ``place`` on, the index for the
        next segment, and on to that."""
        self.operators.operate(unit, place, plan.segments[j].end, &mine.watch)
        if plan.segments[j + 1].dealt:
            self.operators.deal(plan.segments[j + 1].head, unit)
        elif plan.segments[j + 1].sharded:
            self.operators.scatter(plan.segments[j + 1].head, unit)
        self.publish(plan, j + 1, unit)

    cdef void next_piece(self, Plan* plan, Unit* unit, Mine* mine) noexcept nogil:
        """One piece has come to the sink: make the next one, and bring it to the segment
        behind that of its operator."""
        cdef int32_t j = 0, place = held_at(unit)
        cdef Segment* segment
        while plan.segments[j].end <= place:
            j += 1
        segment = &plan.segments[j]
        if segment.sharded and place == segment.head:
            self.share_out_again(plan, j, unit)
            return
        place = self.operators.resume(unit, &mine.watch)
        if 0 < j and place <= segment.tail:
            self.operators.operate(unit, place, segment.tail, &mine.watch)
            place = segment.tail
            if held_at(unit) < segment.head:            # no operator of this segment has to go on
                self.pass_turn(segment, 0, unit.serial + (unit.n_held == 0))
        self.finish(plan, j, place, unit, mine)

    cdef void share_out_again(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil:
        """The unit's next piece is to be made by segment ``j``, which is sharded, of the groups in which
        its operator has stopped."""
        cdef int32_t k
        cdef int64_t stopped = 0
        take_up_groups(unit)
        unit.again = True
        for k in range(plan.segments[j].shards):
            stopped += has_stopped(&unit.index.groups[k])
        unit.pending.value.store(stopped, memory_order_relaxed)     # published with the unit's readiness
        for k in range(plan.segments[j].shards):
            if has_stopped(&unit.index.groups[k]):
                self.pass_turn(&plan.segments[j], k, unit.serial)
        self.set_ready(plan, j, unit)

    cdef void publish(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil:
        """Let segment ``j`` take the unit: from here on it is another's."""
        cdef int32_t k
        if unit.again and plan.segments[j].sharded:
            for k in range(plan.segments[j].shards):    # their turns were left where they were with the piece before
                self.pass_turn(&plan.segments[j], k, unit.serial)
        self.set_ready(plan, j, unit)

    cdef void set_ready(self, Plan* plan, int32_t j, Unit* unit) noexcept nogil:
        set_readiness(unit, ready_for(plan, unit.serial, j))
        wake_one(self.parking)
