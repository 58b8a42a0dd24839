"""Tuples that operators refuse."""

from __future__ import annotations

from mutation import Mutation

FAILING = "tests/concurrency/test_failing_operators.py"
EVERYTHING = f"{FAILING}::test_everything_before_a_refused_tuple_has_left_and_nothing_after"
SEVERAL = f"{FAILING}::test_of_several_refusals_the_first_in_order_counts"
SEVERAL_SHARDED = (
    "tests/concurrency/test_sharded_stops.py::test_of_several_refusals_the_first_in_order_counts_whatever_the_plan"
)

MUTATIONS = (
    Mutation(
        "the serial number of a refused tuple is one too high",
        "pyx/engine/egress.pyx",
        "self.tuples_in[k] + self.failed.failed_row, values, why",
        "self.tuples_in[k] + self.failed.failed_row + 1, values, why",
        (f"{FAILING}::test_a_sink_that_refuses_names_itself", EVERYTHING),
    ),
    Mutation(
        "tuples of a unit are not counted for the serial number",
        "pyx/engine/egress.pyx",
        "            self.tuples_in[k] += unit.tuples_in[k]\n",
        "            pass\n",
        (EVERYTHING,),
    ),
    Mutation(
        "of several refused tuples in a unit the last counts",
        "pyx/partition/group.pyx",
        "        if 0 <= row < limit:",
        "        if row >= 0 and (first < 0 or row > limit):",
        (SEVERAL, SEVERAL_SHARDED),
    ),
    Mutation(
        "outputs of the last tuple before the refused one are left out",
        "pyx/partition/group.pyx",
        "    for row in range(from_row, limit):",
        "    for row in range(from_row, limit - 1):",
        (SEVERAL, SEVERAL_SHARDED),
    ),
    Mutation(
        "an operator in place keeps the refused tuple",
        "pyx/tuples/apply.pyx",
        "            rows.n = failed\n",
        "            rows.n = failed + 1\n",
        (EVERYTHING,),
    ),
    Mutation(
        "groups in place share one failure reason",
        "pyx/partition/group.pyx",
        "        view_columns(unit.now, out)\n",
        "        out = unit.now\n",
        (f"{FAILING}::test_of_two_groups_in_place_that_refuse_at_once_each_says_why",),
    ),
)
