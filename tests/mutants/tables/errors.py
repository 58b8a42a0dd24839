"""Tuples that operators refuse."""

from __future__ import annotations

from mutation import of, swap

FAILING = "tests/concurrency/test_failing_operators.py"
EVERYTHING = f"{FAILING}::test_everything_before_a_refused_tuple_has_left_and_nothing_after"
SEVERAL = f"{FAILING}::test_of_several_refusals_the_first_in_order_counts"
SEVERAL_SHARDED = (
    "tests/concurrency/test_sharded_stops.py::test_of_several_refusals_the_first_in_order_counts_whatever_the_plan"
)

MUTATIONS = (
    *of(
        "pyx/engine/egress.pyx",
        (
            "the serial number of a refused tuple is one too high",
            (f"{FAILING}::test_a_sink_that_refuses_names_itself", EVERYTHING),
            swap("failed.failed_row,", "failed.failed_row + 1,"),
        ),
        (
            "tuples of a unit are not counted for the serial number",
            (EVERYTHING,),
            swap("self.tuples_in[k] += unit.tuples_in[k]", "pass"),
        ),
    ),
    *of(
        "pyx/partition/group.pyx",
        (
            "of several refused tuples in a unit the last counts",
            (SEVERAL, SEVERAL_SHARDED),
            swap("0 <= row < limit", "row >= 0 and (first < 0 or row > limit)"),
        ),
        (
            "outputs of the last tuple before the refused one are left out",
            (SEVERAL, SEVERAL_SHARDED),
            swap("from_row, limit)", "from_row, limit - 1)"),
        ),
    ),
    *of(
        "pyx/tuples/apply.pyx",
        ("an operator in place keeps the refused tuple", (EVERYTHING,), swap("rows.n = failed", "rows.n = failed + 1")),
    ),
    *of(
        "pyx/partition/group.pyx",
        (
            "groups in place share one failure reason",
            (f"{FAILING}::test_of_two_groups_in_place_that_refuse_at_once_each_says_why",),
            swap("view_columns(unit.now, out)", "out = unit.now"),
        ),
    ),
)
