"""The engine `ordered`: turns, units, credit, plans, the end of the stream."""

from __future__ import annotations

from mutation import drop, of, put, swap

PLAIN = "tests/concurrency/test_sharded_equals_plain.py"
STOPS = "tests/concurrency/test_sharded_stops.py"
CHANGING = f"{PLAIN}::test_theorem_5_2_while_the_plan_changes"
SAVED = "tests/unit/checkpoints/test_saved_operators.py::test_a_run_cut_twice_gives_the_undisturbed_output"
CORNERS = f"{PLAIN}::test_theorem_5_2_corner_pipelines_of_every_plan"
RANDOM = f"{PLAIN}::test_theorem_5_2_random_pipelines_with_random_plans"
READINESS = "tests/unit/execution/test_plans.py::test_of_two_units_segments_or_plans_no_readiness_is_the_same"
PIECES = "tests/concurrency/test_pieces.py"
MARKERS = "tests/concurrency/test_markers.py::test_a_marker_enters_and_leaves_with_its_unit"
CREDIT = "tests/concurrency/test_bounds_and_stops.py::test_tuples_in_flight_never_exceed_the_credit"

MUTATIONS = (
    *of(
        "pyx/ordered/turns.pxd",
        (
            "a turn taken by load and store",
            (RANDOM,),
            drop("touch(TURN", "take_turn("),
            swap(
                "not turn_of(segment, shard).compare_exchange_strong(",
                "turn_of(segment, shard).load(memory_order_acquire) != turn:",
            ),
            drop("turn, turn | 1"),
            put(
                "take_hold(TURN",
                before=("yield_point()\nturn_of(segment, shard).store(turn | 1, memory_order_relaxed)\n"),
            ),
        ),
        ("a taken turn is not marked as taken", (RANDOM,), swap("turn, turn | 1", "turn, turn")),
    ),
    *of(
        "pyx/ordered/segments.pyx",
        (
            "a turn is passed on to the unit just done",
            (f"{PLAIN}::test_streams_about_as_long_as_a_unit_or_the_credit",),
            swap("0, serial", "0, serial - 1", "visit("),
        ),
    ),
    *of(
        "pyx/tuples/apply.pyx",
        (
            "what an operator has not taken is lost",
            (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
            swap("unit.spare.taken < rows.n", "False", "apply("),
        ),
    ),
    *of(
        "pyx/partition/group.pyx",
        (
            "what an operator has not taken of a partition is lost",
            (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
            swap("if stopped:", "if False:"),
            drop("unit.index.gone_on = limit"),
        ),
    ),
    *of(
        "pyx/ordered/segments.pyx",
        (
            "a shard's turn is passed on with tuples of the unit left",
            (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
            swap("0 or has_stopped(&unit.index.groups[shard])", "0"),
        ),
    ),
    *of(
        "pyx/schemes/stage.pyx",
        (
            "a stage of schemes goes on to the next unit before the last piece",
            (f"{PIECES}::test_pieces_leave_in_the_order_of_the_tuples_they_come_from",),
            swap("return last", "return True"),
        ),
    ),
    *of(
        "pyx/tuples/unit.pyx",
        (
            "a refused tuple is counted from the piece that it is in",
            (f"{PIECES}::test_a_refused_tuple_of_any_piece_is_told_with_its_number",),
            swap("unit.tuples_in[operator] - rows.n + row", "row"),
        ),
    ),
    *of(
        "pyx/tuples/work.pxd",
        (
            "a unit is counted done before its last shard",
            (CORNERS,),
            swap("memory_order_acq_rel) == 1", "memory_order_acq_rel) == 2"),
        ),
    ),
    *of(
        "pyx/ordered/plan.pxd",
        ("readiness says nothing of the plan", (READINESS,), swap("((<uint64_t>plan.epoch & 0x7FFFF) << 5) | <", "<")),
        ("readiness says nothing of the unit", (READINESS,), swap("<uint64_t>serial << 24) | (", "")),
    ),
    *of(
        "pyx/ordered/plans_in_force.pyx",
        (
            "plans are kept for ever",
            ("tests/concurrency/test_sharded_bookkeeping.py::test_of_the_plans_there_have_been_few_stay_in_memory",),
            swap("self.is_held(self.plans[k])", "True"),
        ),
    ),
    *of(
        "pyx/ordered/admission.pyx",
        (
            "a plan changes with units in flight",
            (CHANGING,),
            swap("if not self.quiescent()", "if False", "if self.replanned:"),
        ),
        (
            "states are saved with units in flight",
            (SAVED,),
            swap("if not self.quiescent()", "if False", "log)\n        if self.is_pausing():"),
        ),
    ),
    *of(
        "pyx/ordered/plan.pyx",
        (
            "a plan's turns stand one unit too far",
            (
                "tests/unit/execution/test_plans.py::test_segments_hold_every_operator_once_and_whoever_needs_order_has_a_turn",
            ),
            swap(").store(serial", ").store((serial + 1)"),
        ),
        (
            "no head behind a sharded one",
            (
                "tests/unit/execution/test_plans.py::test_segments_hold_every_operator_once_and_whoever_needs_order_has_a_turn",
            ),
            swap("unordered = cuts.sharded >> place & 1", "unordered = False"),
        ),
    ),
    *of(
        "pyx/ordered/admission.pyx",
        (
            "what an operator holds is flushed with units in flight",
            (CORNERS, f"{PLAIN}::test_a_late_tuple_and_one_that_is_waited_for"),
            swap("(self.in_pieces or not self.end.flushing) and not self.quiescent()", "False"),
        ),
    ),
    *of(
        "pyx/engine/end_of_stream.pyx",
        (
            "the first operator is never flushed",
            (CORNERS,),
            swap("if self.cut or self.has_failed() else 0", "if self.cut else 1"),
        ),
    ),
    *of(
        "pyx/ordered/admission.pyx",
        (
            "no second look at the credit with the lock",
            (f"{STOPS}::test_tuples_in_flight_never_exceed_the_credit_while_the_plan_changes", CHANGING),
            swap("not self.ingress.has_credit() or self", "self"),
        ),
    ),
    *of(
        "pyx/engine/ingress.pyx",
        ("one unit more than the credit", (CREDIT,), swap("< self.allowed", "<= self.allowed")),
    ),
    *of(
        "pyx/engine/egress.pyx",
        ("credit is returned before the sink is done", (CREDIT,), swap("unit.serial + 1", "unit.serial + 2")),
        (
            "credit is not returned",
            (f"{PLAIN}::test_streams_about_as_long_as_a_unit_or_the_credit",),
            swap("unit.serial + 1", "unit.serial"),
        ),
    ),
    *of(
        "pyx/ordered/segments.pyx",
        (
            "a stop is not looked at with the sink's turn",
            (f"{STOPS}::test_nothing_behind_a_refused_tuple_reaches_the_sink",),
            swap("self.egress.stopped.value.load(memory_order_relaxed) == 0", "True"),
        ),
    ),
    *of(
        "pyx/ordered/admission.pyx",
        (
            "a stop is not looked at with the lock",
            (f"{STOPS}::test_nothing_behind_a_refused_tuple_is_flushed_to_the_sink",),
            swap("or self.egress.stopped.value.load(memory_order_relaxed) != 0", ""),
        ),
        (
            "a whole plan does not look at a stop",
            (f"{STOPS}::test_nothing_behind_a_refused_tuple_reaches_the_sink",),
            swap("self.egress.stopped.value.load(memory_order_relaxed) == 0 and not", "not"),
        ),
    ),
    *of(
        "pyx/engine/egress.pyx",
        (
            "a marker that stands at the next unit's first tuple is missed",
            (MARKERS,),
            swap("= ((end - 1) /", "= (end /"),
        ),
        (
            "a unit with a marker on its last tuple is not marked",
            (MARKERS,),
            swap("next_marked < end:", "next_marked < end - 1:"),
        ),
        ("the marker on a unit's last tuple is missed", (MARKERS,), swap("arrived:", "arrived - 1:", "deliver(")),
    ),
)
