"""The controller of the engine `ordered`."""

from __future__ import annotations

from mutation import Mutation

CONTROLLER = "tests/unit/sharded/test_controller.py"
AT_A_RATE = "tests/unit/sharded/test_controller_at_a_rate.py"
RECORDED = "tests/unit/sharded/test_recorded_decisions.py"
FOR_LONG = "tests/unit/sharded/test_controller_for_long.py"
BOOKKEEPING = "tests/concurrency/test_sharded_bookkeeping.py"
REGRET = "tests/unit/sharded/test_regret.py"
WAITING = "tests/unit/sharded/test_waiting.py"
SIMULATED = "tests/unit/sharded/test_controller_on_simulated_cores.py"
AGAIN = "tests/unit/sharded/test_one_worker_again.py"
SLOW_UNIT = "tests/concurrency/test_bounds_and_stops.py::test_behind_a_slow_unit_the_credit_is_not_spent_on_tiny_ones"

MUTATIONS = (
    Mutation(
        "units are counted full always",
        "pyx/sharded/admission.pyx",
        "        if n == most and there >= self.ingress.unit_size:\n",
        "        if True:\n",
        (f"{BOOKKEEPING}::test_what_comes_in_full_units_is_told_apart",),
    ),
    Mutation(
        "a stream counts as saturated always",
        "pyx/sharded/admission.pyx",
        "        cdef bint full = (n == self.ingress.unit_size\n",
        "        cdef bint full = (True\n",
        (f"{BOOKKEEPING}::test_units_are_taken_in_ahead_of_work_only_while_they_are_full",),
    ),
    Mutation(
        "what comes a little at a time is full",
        "pyx/sharded/admission.pyx",
        "        if self.ingress.rate == 0.0 and not self.dry:   # a batch",
        "        if self.ingress.rate == 0.0:    # a batch",
        (f"{BOOKKEEPING}::test_what_comes_in_full_units_is_told_apart",),
    ),
    Mutation(
        "what a batch or a lap cuts short is not full",
        "pyx/sharded/admission.pyx",
        "            self.controller.full += self.cut_short\n",
        "            pass\n",
        (f"{BOOKKEEPING}::test_what_only_the_end_of_a_batch_or_a_lap_cuts_short_is_full",),
    ),
    Mutation(
        "at full speed, too, one worker's units grow step by step",
        "pyx/sharded/admission.pyx",
        "self.controller.given.free_unit and (self.controller.given.interval == 0\n",
        "self.controller.given.free_unit and (False\n",
        (f"{BOOKKEEPING}::test_one_worker_takes_units_as_large_as_is_chosen_from_the_next_one_on",),
    ),
    Mutation(
        "units under way grow with each that comes to the sink",
        "pyx/sharded/admission.pyx",
        "max(<int64_t>0, proven - soon) // HIDDEN))",
        "max(<int64_t>0, proven - soon)))",
        (f"{SIMULATED}::test_a_slow_segment_is_not_hidden_by_the_one_that_goes_ahead_of_it",),
    ),
    Mutation(
        "a trial behind segments may end at its first look",
        "pyx/sharded/trials.pyx",
        "    if (now == trials.since.at and waited) or (",
        "    if False or (",
        (f"{CONTROLLER}::test_what_it_takes_to_leave_segments_says_nothing_of_the_plan_on_trial",),
    ),
    Mutation(
        "a trial ends though its plan is getting faster",
        "pyx/sharded/trials.pyx",
        "    if warms_up(trials, given, now, position):\n",
        "    if False:\n",
        (f"{CONTROLLER}::test_a_plan_that_warms_up_amid_its_trial_is_found_by_it", RECORDED),
    ),
    Mutation(
        "costs are taken from any plan",
        "pyx/sharded/looks.pyx",
        "            if alone or looks.counts[k] == 0:\n",
        "            if True:\n",
        (f"{AT_A_RATE}::test_what_operators_cost_where_workers_share_them_is_not_what_they_would_cost_one",),
    ),
    Mutation(
        "nothing is forgotten where the best plan becomes slow",
        "pyx/sharded/trials.pyx",
        "    trials.unusual += 1\n",
        "    trials.unusual = 0\n",
        (f"{CONTROLLER}::test_a_winner_that_becomes_much_slower_is_left_soon", RECORDED),
    ),
    Mutation(
        "a trial's loss is not booked",
        "pyx/sharded/trials.pyx",
        "    trials.account -= loss\n",
        "",
        (RECORDED, REGRET),
    ),
    Mutation(
        "the slower plan is the best",
        "pyx/sharded/trials.pyx",
        "    if arm.ratio < given.constants.advantage:\n",
        "    if arm.ratio > given.constants.advantage:\n",
        (f"{CONTROLLER}::test_of_plans_by_partition_and_without_the_faster_one_stays",),
    ),
    Mutation(
        "trials are as short beside somebody else",
        "pyx/sharded/waiting.pyx",
        "max(given.constants.trial_look, waiting.longest[0], waiting.longest[1])",
        "given.constants.trial_look",
        (WAITING, RECORDED),
    ),
    Mutation(
        "workers stay on a core that somebody else is on",
        "pyx/sharded/waiting.pyx",
        "        waiting.bound = False\n",
        "        pass\n",
        (f"{WAITING}::test_workers_that_wait_are_let_go_and_the_plan_is_whole_within_20_ms",),
    ),
    Mutation(
        "one wait makes the plan whole",
        "pyx/sharded/waiting.pyx",
        "    if waiting.spells >= given.constants.stays:",
        "    if waiting.spells >= 1:",
        (f"{WAITING}::test_after_one_wait_workers_may_move_and_the_plan_stays",),
    ),
    Mutation(
        "a plan that catches up is put to the test",
        "pyx/sharded/trials.pyx",
        " or late < given.constants.counted):\n",
        "):\n",
        (f"{AT_A_RATE}::test_a_stream_that_catches_up_is_not_held_up_by_a_trial", RECORDED),
    ),
    Mutation(
        "a backlog waits for the next look",
        "pyx/sharded/controller.pyx",
        "        return now >= self.next_decision or (waiting > self.much and now >= self.soonest)\n",
        "        return now >= self.next_decision\n",
        (f"{AT_A_RATE}::test_with_segments_a_backlog_is_looked_at_at_once",),
    ),
    Mutation(
        "a lull is a trial like any other",
        "pyx/sharded/controller.pyx",
        "        if not saturated or (self.given.interval > 0 and not self.trials.settled):\n",
        "        if self.given.interval > 0 and not self.trials.settled:\n",
        (f"{CONTROLLER}::test_a_lull_runs_whole_and_after_it_the_better_plan_is_back_at_once",),
    ),
    Mutation(
        "costs are never taken from another plan",
        "pyx/sharded/controller_constants.pyx",
        "STANDARD.stale = 5e9 ",
        "STANDARD.stale = 1e300 ",
        (f"{FOR_LONG}::test_all_day_at_a_rate_plans_follow_the_load",),
    ),
    Mutation(
        "choices end",
        "pyx/sharded/controller.pyx",
        "        elif tries_plans and not resized:\n",
        "        elif tries_plans and not resized and self.plans.count < 1024:\n",
        (f"{FOR_LONG}::test_all_day_plans_follow_the_load",),
    ),
    Mutation(
        "choices of size are logged with those of plans",
        "pyx/sharded/controller.pyx",
        "            self.note(now, &self.plans if changed else &self.sizes)\n",
        "            self.note(now, &self.plans)\n",
        (f"{FOR_LONG}::test_choices_of_size_leave_room_for_those_of_plans",),
    ),
    Mutation(
        "the latest choices are not kept",
        "pyx/sharded/choice_log.pyx",
        "        log.latest[log.count % KEPT] = choice[0]\n",
        "        return\n",
        (f"{FOR_LONG}::test_of_many_choices_the_first_and_the_latest_are_kept_and_numbered",),
    ),
    Mutation(
        "a backlog is caught up with in larger and larger units",
        "pyx/sharded/sizing.pyx",
        "min(2 * sizing.allowance, given.constants.most_allowance)",
        "2 * sizing.allowance",
        (f"{AT_A_RATE}::test_more_is_under_way_while_a_stream_is_not_kept_up_with", RECORDED),
    ),
    Mutation(
        "the first choice at a rate is made by usual costs",
        "pyx/sharded/looks.pyx",
        "    return ordered[0 if first_choice and looks.counts[k] <= LOOKS else (n - 1) // 2]\n",
        "    return ordered[(n - 1) // 2]\n",
        (f"{AT_A_RATE}::test_what_the_first_moments_cost_more_shares_no_operator_out", RECORDED),
    ),
    Mutation(
        "constants that are given are not taken",
        "pyx/sharded/controller.pyx",
        "        self.given.constants = constants_with(constants)\n",
        "        self.given.constants = constants_with(None)\n",
        ("tests/unit/sharded/test_controller_constants.py", RECORDED),
    ),
    Mutation(
        "what has arrived is always taken",
        "pyx/engine/ingress.pyx",
        "        return arrived < self.unit_size and arrived * allowed",
        "        return False and arrived * allowed",
        ("tests/unit/engine/test_admission.py", SLOW_UNIT),
    ),
    Mutation(
        "each slot has memory of its own",
        "pyx/engine/ingress.pyx",
        "            self.lend_memory(unit, serial)\n",
        "            pass\n",
        ("tests/unit/engine/test_admission.py",),
    ),
    Mutation(
        "the memory of a unit that is under way is lent",
        "pyx/engine/ingress.pyx",
        "load(memory_order_acquire) - 1, last",
        "load(memory_order_acquire), last",
        ("tests/unit/engine/test_admission.py",),
    ),
    Mutation(
        "one worker that was too slow once is never tried again",
        "pyx/sharded/keeping_up.pyx",
        "        elif (behind > 0 or alone.load >= given.constants.unusual\n",
        "        elif (True or alone.load >= given.constants.unusual\n",
        (f"{AGAIN}::test_it_is_alone_again_soon_after_it_was_slow_for_a_while",),
    ),
    Mutation(
        "one worker is tried again however slow it is known to be",
        "pyx/sharded/keeping_up.pyx",
        "        elif (behind > 0 or alone.load >= given.constants.unusual\n",
        "        elif (behind > 0\n",
        (f"{AGAIN}::test_where_it_would_be_much_too_slow_it_is_not_tried",),
    ),
    Mutation(
        "one worker is tried again by what comes in the mean",
        "pyx/sharded/keeping_up.pyx",
        "        alone.load = one * (arrived - alone.arrived) / span\n",
        "        alone.load = one / given.interval\n",
        (f"{AGAIN}::test_of_a_rate_that_steps_what_comes_of_late_counts",),
    ),
    Mutation(
        "after a failing try of one worker the next one waits no longer",
        "pyx/sharded/keeping_up.pyx",
        "            alone.wait = 2 * alone.wait if is_tried(alone, given, looks) else given.constants.renewed\n",
        "            alone.wait = given.constants.renewed\n",
        (
            f"{AGAIN}::test_where_it_is_too_slow_still_there_are_few_tries_and_short_ones",
            f"{AGAIN}::test_where_a_rate_steps_too_often_for_one_worker_it_is_given_up",
        ),
    ),
    Mutation(
        "an interruption ends the try of one worker",
        "pyx/sharded/keeping_up.pyx",
        "behind > 0 and waiting > 0 and waiting >= alone.waiting else 0\n",
        "behind > 0 else 0\n",
        (f"{AGAIN}::test_an_interruption_of_a_try_or_after_it_does_not_end_it",),
    ),
    Mutation(
        "of one worker that goes to and fro what waits may grow",
        "pyx/sharded/keeping_up.pyx",
        "    return slow\n",
        "    return False\n",
        (f"{AGAIN}::test_a_core_that_is_shared_in_slices_is_noticed",),
    ),
    Mutation(
        "one worker that kept up for another reason is waited for as before",
        "pyx/sharded/keeping_up.pyx",
        "            alone.wait = given.constants.renewed\n        elif",
        "            pass\n        elif",
        (f"{AGAIN}::test_one_worker_that_kept_up_for_another_reason_is_not_waited_for_as_before",),
    ),
    Mutation(
        "one worker that was tried again is looked at as seldom as ever",
        "pyx/sharded/controller.pyx",
        "        return self.given.interval > 0 and (self.cuts.heads != 0 or self.alone.kept)\n",
        "        return self.given.interval > 0 and self.cuts.heads != 0\n",
        (f"{AGAIN}::test_of_a_rate_that_steps_what_comes_of_late_counts",),
    ),
    Mutation(
        "what one worker has left is worked off amid trials of other plans",
        "pyx/sharded/controller.pyx",
        "self.behind, self.waiting) or self.alone.catching_up:\n",
        "self.behind, self.waiting):\n",
        (f"{AGAIN}::test_what_a_failing_try_leaves_is_worked_off_without_a_trial_of_other_plans",),
    ),
    Mutation(
        "one worker is known by the median of the looks at it",
        "pyx/sharded/looks.pyx",
        "            row = min(row, looks.per_row[k][i])\n",
        "            pass\n",
        (f"{AGAIN}::test_a_worker_that_was_much_too_slow_is_tried_again_by_what_it_took_before",),
    ),
    Mutation(
        "one worker that was not enough of late is back at the first lull",
        "pyx/sharded/controller.pyx",
        " if is_calm(&self.alone, &self.given, now) else INFINITY\n",
        "\n",
        (f"{AGAIN}::test_bursts_of_a_stream_that_is_little_in_the_mean_do_not_make_plans_go_to_and_fro",),
    ),
    Mutation(
        "one worker that was the best is judged by the mean of a rate that steps",
        "pyx/sharded/trials.pyx",
        "behind < given.constants.counted or late < given.constants.counted):\n",
        "behind < given.constants.counted or trials.before < given.interval):\n",
        (f"{AGAIN}::test_one_worker_that_was_the_best_is_not_kept_where_the_rate_has_stepped_beyond_it",),
    ),
    Mutation(
        "one worker may work off a long interruption as slowly as it will",
        "pyx/sharded/keeping_up.pyx",
        "    cdef bint slow = is_no_better(alone, given, behind, waiting, given.constants.unusual)\n",
        "    cdef bint slow = is_no_better(alone, given, behind, waiting, 1.0)\n",
        (f"{AGAIN}::test_a_long_interruption_is_worked_off_by_several",),
    ),
)
