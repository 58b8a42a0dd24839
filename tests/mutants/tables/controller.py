"""The controller of the sharded engine."""

from __future__ import annotations

from mutation import Mutation

CONTROLLER = "tests/unit/test_controller.py"
AT_A_RATE = "tests/unit/test_controller_at_a_rate.py"
FOR_LONG = "tests/unit/test_controller_for_long.py"
BOOKKEEPING = "tests/concurrency/test_sharded_bookkeeping.py"
SLOW_UNIT = "tests/concurrency/test_bounds_and_stops.py::test_behind_a_slow_unit_the_credit_is_not_spent_on_tiny_ones"

MUTATIONS = (
    Mutation(
        "units are counted full always",
        "pyx/sharded.pyx",
        "                self.controller.full += n if n == self.ingress.unit_size else 0\n",
        "                self.controller.full += n\n",
        (f"{BOOKKEEPING}::test_what_comes_in_full_units_is_told_apart",),
    ),
    Mutation(
        "a stream counts as saturated always",
        "pyx/sharded.pyx",
        "                    self.note_saturation(n == self.ingress.unit_size\n",
        "                    self.note_saturation(True\n",
        (f"{BOOKKEEPING}::test_units_are_taken_in_ahead_of_work_only_while_they_are_full",),
    ),
    Mutation(
        "costs are taken from any plan",
        "pyx/controller.pyx",
        "                if alone or self.looks[k] == 0:\n",
        "                if True:\n",
        (f"{AT_A_RATE}::test_what_operators_cost_where_workers_share_them_is_not_what_they_would_cost_one",),
    ),
    Mutation(
        "no tournament where the winner becomes slow",
        "pyx/controller.pyx",
        "        self.slow = self.slow + 1 if time > SLOWER * self.usual_time else 0\n",
        "        self.slow = 0\n",
        (f"{CONTROLLER}::test_a_winner_that_becomes_much_slower_is_left_soon",),
    ),
    Mutation(
        "the first look at a new plan counts",
        "pyx/controller.pyx",
        "cdef int32_t UNCOUNTED = 1 ",
        "cdef int32_t UNCOUNTED = 0 ",
        (f"{CONTROLLER}::test_the_first_look_at_a_plan_does_not_count",),
    ),
    Mutation(
        "a lull is a trial like any other",
        "pyx/controller.pyx",
        "        if not saturated or self.interval > 0 and self.won_at == 0:\n",
        "        if self.interval > 0 and self.won_at == 0:\n",
        (f"{CONTROLLER}::test_a_lull_runs_fused_and_after_it_the_better_plan_is_back_at_once",),
    ),
    Mutation(
        "the slowest candidate wins",
        "pyx/controller.pyx",
        "            if self.candidates[k].time < self.candidates[self.winner].time * (ADVANTAGE",
        "            if self.candidates[k].time > self.candidates[self.winner].time * (ADVANTAGE",
        (f"{CONTROLLER}::test_of_plans_by_partition_and_without_the_faster_one_stays",),
    ),
    Mutation(
        "costs are never taken from another plan",
        "pyx/controller.pyx",
        "cdef double STALE = 5e9 ",
        "cdef double STALE = 1e300 ",
        (f"{FOR_LONG}::test_all_day_at_a_rate_plans_follow_the_load",),
    ),
    Mutation(
        "choices end",
        "pyx/controller.pyx",
        "            if self.free_plan and workers > 1 and not resized:\n",
        "            if self.free_plan and workers > 1 and not resized and self.plans.count < 1024:\n",
        (f"{FOR_LONG}::test_all_day_plans_follow_the_load",),
    ),
    Mutation(
        "choices of size are logged with those of plans",
        "pyx/controller.pyx",
        "                self.note(now, &self.plans if changed else &self.sizes)\n",
        "                self.note(now, &self.plans)\n",
        (f"{FOR_LONG}::test_choices_of_size_leave_room_for_those_of_plans",),
    ),
    Mutation(
        "the latest choices are not kept",
        "pyx/choice_log.pyx",
        "        log.latest[log.count % KEPT] = choice[0]\n",
        "        return\n",
        (f"{FOR_LONG}::test_of_many_choices_the_first_and_the_latest_are_kept_and_numbered",),
    ),
    Mutation(
        "what has arrived is always taken",
        "pyx/ingress.pyx",
        "        return arrived < self.unit_size and arrived * allowed",
        "        return False and arrived * allowed",
        ("tests/unit/test_admission.py", SLOW_UNIT),
    ),
)
