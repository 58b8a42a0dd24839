"""The engine `ordered`: turns, units, credit, plans, the end of the stream."""

from __future__ import annotations

from mutation import Mutation

PLAIN = "tests/concurrency/test_sharded_equals_plain.py"
STOPS = "tests/concurrency/test_sharded_stops.py"
CHANGING = f"{PLAIN}::test_theorem_5_2_while_the_plan_changes"
CORNERS = f"{PLAIN}::test_theorem_5_2_corner_pipelines_of_every_plan"
RANDOM = f"{PLAIN}::test_theorem_5_2_random_pipelines_with_random_plans"
READINESS = "tests/unit/execution/test_plans.py::test_of_two_units_segments_or_plans_no_readiness_is_the_same"
PIECES = "tests/concurrency/test_pieces.py"
MARKERS = "tests/concurrency/test_markers.py::test_a_marker_enters_and_leaves_with_its_unit"
CREDIT = "tests/concurrency/test_bounds_and_stops.py::test_tuples_in_flight_never_exceed_the_credit"

MUTATIONS = (
    Mutation(
        "a turn taken by load and store",
        "pyx/ordered/segments.pyx",
        """        touch(TURN, line_of(segment, shard))
        # Acquire pairs with the release in pass_turn: the operators' state is as the last holder left it.
        if not turn_of(segment, shard).compare_exchange_strong(
                turn, turn | 1, memory_order_acquire, memory_order_relaxed):
            return False
""",
        """        if turn_of(segment, shard).load(memory_order_acquire) != turn:
            return False
        yield_point()
        turn_of(segment, shard).store(turn | 1, memory_order_relaxed)
""",
        (RANDOM,),
    ),
    Mutation(
        "a taken turn is not marked as taken",
        "pyx/ordered/segments.pyx",
        "turn, turn | 1, memory_order_acquire, memory_order_relaxed)",
        "turn, turn, memory_order_acquire, memory_order_relaxed)",
        (RANDOM,),
    ),
    Mutation(
        "a turn is passed on to the unit just done",
        "pyx/ordered/segments.pyx",
        "        if pieces is NULL:\n            self.pass_turn(segment, 0, serial)",
        "        if pieces is NULL:\n            self.pass_turn(segment, 0, serial - 1)",
        (f"{PLAIN}::test_streams_about_as_long_as_a_unit_or_the_credit",),
    ),
    Mutation(
        "what an operator has not taken is lost",
        "pyx/tuples/apply.pyx",
        "    elif unit.spare.taken < rows.n:\n        hold(",
        "    elif False:\n        hold(",
        (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
    ),
    Mutation(
        "what an operator has not taken of a partition is lost",
        "pyx/partition/group.pyx",
        "    if stopped:\n        unit.index.gone_on = limit\n        hold_groups(unit, place)",
        "    if False:\n        hold_groups(unit, place)",
        (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
    ),
    Mutation(
        "a shard's turn is passed on with tuples of the unit left",
        "pyx/ordered/segments.pyx",
        "comes_again = unit.n_held > 0 or has_stopped(&unit.index.groups[shard])",
        "comes_again = unit.n_held > 0",
        (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
    ),
    Mutation(
        "a stage of schemes goes on to the next unit before the last piece",
        "pyx/schemes/stage.pyx",
        "        return last\n",
        "        return True\n",
        (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
    ),
    Mutation(
        "a refused tuple is counted from the piece that it is in",
        "pyx/tuples/unit.pyx",
        "    unit.failed_row = unit.tuples_in[operator] - rows.n + row",
        "    unit.failed_row = row",
        (f"{PIECES}::test_a_refused_tuple_of_any_piece_is_told_with_its_number",),
    ),
    Mutation(
        "a unit is counted done before its last shard",
        "pyx/ordered/segments.pyx",
        "            if unit.pending.value.fetch_sub(1, memory_order_acq_rel) == 1:",
        "            if unit.pending.value.fetch_sub(1, memory_order_acq_rel) == 2:",
        (CORNERS,),
    ),
    Mutation(
        "readiness says nothing of the plan",
        "pyx/ordered/plan.pxd",
        "((<uint64_t>serial << 24) | ((<uint64_t>plan.epoch & 0x7FFFF) << 5) | <uint64_t>segment)",
        "((<uint64_t>serial << 24) | <uint64_t>segment)",
        (READINESS,),
    ),
    Mutation(
        "readiness says nothing of the unit",
        "pyx/ordered/plan.pxd",
        "((<uint64_t>serial << 24) | ((<uint64_t>plan.epoch & 0x7FFFF) << 5) | <uint64_t>segment)",
        "(((<uint64_t>plan.epoch & 0x7FFFF) << 5) | <uint64_t>segment)",
        (READINESS,),
    ),
    Mutation(
        "plans are kept for ever",
        "pyx/ordered/plans_in_force.pyx",
        "            if self.is_held(self.plans[k]):\n",
        "            if True:\n",
        ("tests/concurrency/test_sharded_bookkeeping.py::test_of_the_plans_there_have_been_few_stay_in_memory",),
    ),
    Mutation(
        "a plan changes with units in flight",
        "pyx/ordered/admission.pyx",
        "            if not self.quiescent():\n                self.ingress.unlock()",
        "            if False:\n                self.ingress.unlock()",
        (CHANGING,),
    ),
    Mutation(
        "a plan's turns stand one unit too far",
        "pyx/ordered/plan.pyx",
        "                turn_of(segment, k).store(serial << 1, memory_order_relaxed)",
        "                turn_of(segment, k).store((serial + 1) << 1, memory_order_relaxed)",
        (
            "tests/unit/execution/test_plans.py::test_segments_hold_every_operator_once_and_whoever_needs_order_has_a_turn",
        ),
    ),
    Mutation(
        "no head behind a sharded one",
        "pyx/ordered/plan.pyx",
        "            unordered = cuts.sharded >> place & 1",
        "            unordered = False",
        (
            "tests/unit/execution/test_plans.py::test_segments_hold_every_operator_once_and_whoever_needs_order_has_a_turn",
        ),
    ),
    Mutation(
        "what an operator holds is flushed with units in flight",
        "pyx/ordered/admission.pyx",
        "            if (self.in_pieces or not self.end.flushing) and not self.quiescent():",
        "            if False:",
        (CORNERS, f"{PLAIN}::test_a_late_tuple_and_one_that_is_waited_for"),
    ),
    Mutation(
        "the first operator is never flushed",
        "pyx/engine/end_of_stream.pyx",
        "        self.phase.value.store(0, memory_order_relaxed)",
        "        self.phase.value.store(1, memory_order_relaxed)",
        (CORNERS,),
    ),
    Mutation(
        "no second look at the credit with the lock",
        "pyx/ordered/admission.pyx",
        "        if (not self.ingress.has_credit() or self.ingress.ended.value.load(memory_order_relaxed) != 0\n",
        "        if (self.ingress.ended.value.load(memory_order_relaxed) != 0\n",
        (f"{STOPS}::test_tuples_in_flight_never_exceed_the_credit_while_the_plan_changes", CHANGING),
    ),
    Mutation(
        "one unit more than the credit",
        "pyx/engine/ingress.pyx",
        "- self.egress.done.value.load(memory_order_acquire)) < self.allowed",
        "- self.egress.done.value.load(memory_order_acquire)) <= self.allowed",
        (CREDIT,),
    ),
    Mutation(
        "credit is returned before the sink is done",
        "pyx/engine/egress.pyx",
        "        self.done.value.store(unit.serial + 1, memory_order_release)",
        "        self.done.value.store(unit.serial + 2, memory_order_release)",
        (CREDIT,),
    ),
    Mutation(
        "credit is not returned",
        "pyx/engine/egress.pyx",
        "        self.done.value.store(unit.serial + 1, memory_order_release)",
        "        self.done.value.store(unit.serial, memory_order_release)",
        (f"{PLAIN}::test_streams_about_as_long_as_a_unit_or_the_credit",),
    ),
    Mutation(
        "a stop is not looked at with the sink's turn",
        "pyx/ordered/segments.pyx",
        "        while self.egress.stopped.value.load(memory_order_relaxed) == 0:\n            unit = &self.ingress",
        "        while True:\n            unit = &self.ingress",
        (f"{STOPS}::test_nothing_behind_a_refused_tuple_reaches_the_sink",),
    ),
    Mutation(
        "a stop is not looked at with the lock",
        "pyx/ordered/admission.pyx",
        "                or self.egress.stopped.value.load(memory_order_relaxed) != 0):  # by who had the lock",
        "                ):  # by who had the lock",
        (f"{STOPS}::test_nothing_behind_a_refused_tuple_is_flushed_to_the_sink",),
    ),
    Mutation(
        "a whole plan does not look at a stop",
        "pyx/ordered/admission.pyx",
        "        while self.egress.stopped.value.load(memory_order_relaxed) == 0 and not self.replanned:",
        "        while not self.replanned:",
        (f"{STOPS}::test_nothing_behind_a_refused_tuple_reaches_the_sink",),
    ),
    Mutation(
        "a marker that stands at the next unit's first tuple is missed",
        "pyx/engine/egress.pyx",
        "            self.next_marked = ((end - 1) // self.marked_interval + 1) * self.marked_interval",
        "            self.next_marked = (end // self.marked_interval + 1) * self.marked_interval",
        (MARKERS,),
    ),
    Mutation(
        "a unit with a marker on its last tuple is not marked",
        "pyx/engine/egress.pyx",
        "        if self.next_marked < end:\n",
        "        if self.next_marked < end - 1:\n",
        (MARKERS,),
    ),
    Mutation(
        "the marker on a unit's last tuple is missed",
        "pyx/engine/egress.pyx",
        "        if self.next_marker * self.marker_interval < unit.first + unit.arrived:\n",
        "        if self.next_marker * self.marker_interval < unit.first + unit.arrived - 1:\n",
        (MARKERS,),
    ),
)
