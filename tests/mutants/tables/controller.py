"""The controller of the engine `ordered`."""

from __future__ import annotations

from mutation import drop, of, swap

CONTROLLER = "tests/unit/ordered/test_controller.py"
AT_A_RATE = "tests/unit/ordered/test_controller_at_a_rate.py"
RECORDED = "tests/unit/ordered/test_recorded_decisions.py"
FOR_LONG = "tests/unit/ordered/test_controller_for_long.py"
BOOKKEEPING = "tests/concurrency/test_sharded_bookkeeping.py"
REGRET = "tests/unit/ordered/test_regret.py"
WAITING = "tests/unit/ordered/test_waiting.py"
SIMULATED = "tests/unit/ordered/test_controller_on_simulated_cores.py"
AGAIN = "tests/unit/ordered/test_one_worker_again.py"
SLOW_UNIT = "tests/concurrency/test_bounds_and_stops.py::test_behind_a_slow_unit_the_credit_is_not_spent_on_tiny_ones"

MUTATIONS = (
    *of(
        "pyx/engine/ingress.pyx",
        (
            "a stream counts as saturated always",
            (f"{BOOKKEEPING}::test_units_are_taken_in_ahead_of_work_only_while_they_are_full",),
            swap("n == self.unit_size", "True"),
        ),
    ),
    *of(
        "pyx/ordered/admission.pyx",
        (
            "units are counted full always",
            (f"{BOOKKEEPING}::test_what_comes_in_full_units_is_told_apart",),
            swap("n == most and there >= self.ingress.unit_size", "True"),
        ),
        (
            "what comes a little at a time is full",
            (f"{BOOKKEEPING}::test_what_comes_in_full_units_is_told_apart",),
            swap("0 and not self.dry", "0"),
        ),
        (
            "what a batch or a lap cuts short is not full",
            (f"{BOOKKEEPING}::test_what_only_the_end_of_a_batch_or_a_lap_cuts_short_is_full",),
            swap("self.controller.full += self.cut_short", "pass"),
        ),
        (
            "at full speed, too, one worker's units grow step by step",
            (f"{BOOKKEEPING}::test_one_worker_takes_units_as_large_as_is_chosen_from_the_next_one_on",),
            swap("self.controller.terms.interval == 0", "False"),
        ),
        (
            "units under way grow with each that comes to the sink",
            (f"{SIMULATED}::test_a_slow_segment_is_not_hidden_by_the_one_that_goes_ahead_of_it",),
            swap("soon) // HIDDEN", "soon)"),
        ),
    ),
    *of(
        "pyx/ordered/trials.pyx",
        (
            "a trial behind segments may end at its first look",
            (f"{CONTROLLER}::test_what_it_takes_to_leave_segments_says_nothing_of_the_plan_on_trial",),
            swap("(now == trials.stretch.at and waited)", "False"),
        ),
        (
            "a trial ends though its plan is getting faster",
            (f"{CONTROLLER}::test_a_plan_that_warms_up_amid_its_trial_is_found_by_it", RECORDED),
            swap("warms_up(trials, terms, now, position)", "False"),
        ),
    ),
    *of(
        "pyx/ordered/looks.pyx",
        (
            "costs are taken from any plan",
            (f"{AT_A_RATE}::test_what_operators_cost_where_workers_share_them_is_not_what_they_would_cost_one",),
            swap("alone or looks.counts[k] == 0", "True"),
        ),
    ),
    *of(
        "pyx/ordered/trials.pyx",
        (
            "nothing is forgotten where the best plan becomes slow",
            (f"{CONTROLLER}::test_a_winner_that_becomes_much_slower_is_left_soon", RECORDED),
            swap("trials.unusual_stretches += 1", "trials.unusual_stretches = 0"),
        ),
        ("a trial's loss is not booked", (RECORDED, REGRET), drop("trials.account -= loss")),
        (
            "the slower plan is the best",
            (f"{CONTROLLER}::test_of_plans_by_partition_and_without_the_faster_one_stays",),
            swap("if arm.ratio <", "if arm.ratio >"),
        ),
    ),
    *of(
        "pyx/ordered/waiting.pyx",
        (
            "trials are as short beside somebody else",
            (WAITING, RECORDED),
            swap(
                "max(terms.constants.trial_look, waiting.longest_ns[0], waiting.longest_ns[1])",
                "terms.constants.trial_look",
            ),
        ),
        (
            "workers stay on a core that somebody else is on",
            (f"{WAITING}::test_workers_that_wait_are_let_go_and_the_plan_is_whole_within_20_ms",),
            swap("waiting.bound = False", "pass"),
        ),
        (
            "one wait makes the plan whole",
            (f"{WAITING}::test_after_one_wait_workers_may_move_and_the_plan_stays",),
            swap("terms.constants.stays:", "1:"),
        ),
    ),
    *of(
        "pyx/ordered/trials.pyx",
        (
            "a plan that catches up is put to the test",
            (f"{AT_A_RATE}::test_a_stream_that_catches_up_is_not_held_up_by_a_trial", RECORDED),
            swap("counted or late < terms.constants.counted", "counted"),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "a backlog waits for the next look",
            (f"{AT_A_RATE}::test_with_segments_a_backlog_is_looked_at_at_once",),
            swap("next_decision or (waiting > self.much and now >= self.soonest)", "next_decision"),
        ),
        (
            "a lull is a trial like any other",
            (f"{CONTROLLER}::test_a_lull_runs_whole_and_after_it_the_better_plan_is_back_at_once",),
            swap(
                "not saturated or (self.terms.interval > 0 and not self.trials.has_chosen)",
                "self.terms.interval > 0 and not self.trials.has_chosen",
            ),
        ),
    ),
    *of(
        "pyx/ordered/controller_constants.pyx",
        (
            "costs are never taken from another plan",
            (f"{FOR_LONG}::test_all_day_at_a_rate_plans_follow_the_load",),
            swap("STANDARD.stale = 5e9", "STANDARD.stale = 1e300"),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "choices end",
            (f"{FOR_LONG}::test_all_day_plans_follow_the_load",),
            swap("and not resized:", "and not resized and self.plans.count < 1024:"),
        ),
        (
            "choices of size are logged with those of plans",
            (f"{FOR_LONG}::test_choices_of_size_leave_room_for_those_of_plans",),
            swap("plans if changed else &self.sizes", "plans"),
        ),
    ),
    *of(
        "pyx/ordered/choice_log.pyx",
        (
            "the latest choices are not kept",
            (f"{FOR_LONG}::test_of_many_choices_the_first_and_the_latest_are_kept_and_numbered",),
            swap("log.latest[log.count % KEPT] = choice[0]", "return"),
        ),
    ),
    *of(
        "pyx/ordered/sizing.pyx",
        (
            "a backlog is caught up with in larger and larger units",
            (f"{AT_A_RATE}::test_more_is_under_way_while_a_stream_is_not_kept_up_with", RECORDED),
            swap("min(2 * sizing.allowance, terms.constants.most_allowance)", "2 * sizing.allowance"),
        ),
    ),
    *of(
        "pyx/ordered/looks.pyx",
        (
            "the first choice at a rate is made by usual costs",
            (f"{AT_A_RATE}::test_what_the_first_moments_cost_more_shares_no_operator_out", RECORDED),
            swap("0 if first_choice and looks.counts[k] <= LOOKS else (", "("),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "constants that are given are not taken",
            ("tests/unit/ordered/test_controller_constants.py", RECORDED),
            swap("constants_with(constants", "constants_with(None"),
        ),
    ),
    *of(
        "pyx/engine/ingress.pyx",
        (
            "what has arrived is always taken",
            ("tests/unit/engine/test_admission.py", SLOW_UNIT),
            swap("arrived < self.unit_size", "False"),
        ),
        (
            "each slot has memory of its own",
            ("tests/unit/engine/test_admission.py",),
            swap("self.lend_memory(unit, serial)", "pass"),
        ),
        (
            "the memory of a unit that is under way is lent",
            ("tests/unit/engine/test_admission.py",),
            swap("memory_order_acquire) - 1", "memory_order_acquire)"),
        ),
    ),
    *of(
        "pyx/ordered/keeping_up.pyx",
        (
            "one worker that was too slow once is never tried again",
            (f"{AGAIN}::test_it_is_alone_again_soon_after_it_was_slow_for_a_while",),
            swap("(behind > 0 or", "(True or"),
        ),
        (
            "one worker is tried again however slow it is known to be",
            (f"{AGAIN}::test_where_it_would_be_much_too_slow_it_is_not_tried",),
            swap("0 or alone.load >= terms.constants.unusual", "0"),
        ),
        (
            "one worker is tried again by what comes in the mean",
            (f"{AGAIN}::test_of_a_rate_that_steps_what_comes_of_late_counts",),
            swap("one / alone.arrival_interval_ns", "one / terms.interval"),
        ),
        (
            "after a failing try of one worker the next one waits no longer",
            (
                f"{AGAIN}::test_where_it_is_too_slow_still_there_are_few_tries_and_short_ones",
                f"{AGAIN}::test_where_a_rate_steps_too_often_for_one_worker_it_is_given_up",
            ),
            swap("(2 * alone.retry_after_ns if", "(terms.constants.renewed if"),
        ),
        (
            "an interruption ends the try of one worker",
            (f"{AGAIN}::test_an_interruption_of_a_try_or_after_it_does_not_end_it",),
            swap("and waiting > 0 and waiting >= alone.backlog else", "else"),
        ),
        (
            "of one worker that goes to and fro what waits may grow",
            (f"{AGAIN}::test_a_core_that_is_shared_in_slices_is_noticed",),
            swap("return slow", "return False", "if behind <= 1:"),
        ),
        (
            "one worker that kept up for another reason is waited for as before",
            (f"{AGAIN}::test_one_worker_that_kept_up_for_another_reason_is_not_waited_for_as_before",),
            swap("alone.retry_after_ns = terms.constants.renewed", "pass", "one_worker_again("),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "one worker that was tried again is looked at as seldom as ever",
            (f"{AGAIN}::test_of_a_rate_that_steps_what_comes_of_late_counts",),
            swap("(self.cuts.heads != 0 or self.alone.has_stream)", "self.cuts.heads != 0"),
        ),
        (
            "what one worker has left is worked off amid trials of other plans",
            (f"{AGAIN}::test_what_a_failing_try_leaves_is_worked_off_without_a_trial_of_other_plans",),
            swap("behind, self.waiting)", "behind, self.waiting)):"),
            drop("or self.alone.catching_up"),
        ),
    ),
    *of(
        "pyx/ordered/looks.pyx",
        (
            "one worker is known by the median of the looks at it",
            (f"{AGAIN}::test_a_worker_that_was_much_too_slow_is_tried_again_by_what_it_took_before",),
            swap("row = min(row, looks.per_row[k][i])", "pass"),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "one worker that was not enough of late is back at the first lull",
            (f"{AGAIN}::test_bursts_of_a_stream_that_is_little_in_the_mean_do_not_make_plans_go_to_and_fro",),
            swap(") if is_calm(&self.alone, &self.terms, now) else INFINITY", ")"),
        ),
    ),
    *of(
        "pyx/ordered/trials.pyx",
        (
            "one worker is put to the test by the mean of a rate that steps",
            (f"{AGAIN}::test_where_a_backlog_grows_at_a_rate_that_steps_one_worker_is_not_put_to_the_test",),
            swap("(every, trials", "(terms.interval, trials"),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "beside somebody one worker has the stream by the mean of a rate that steps",
            (f"{AGAIN}::test_workers_that_wait_leave_no_stream_to_one_that_is_too_slow_for_what_comes_of_late",),
            swap("self.alone.arrival_interval_ns:", "self.terms.interval:"),
        ),
    ),
    *of(
        "pyx/ordered/trials.pyx",
        (
            "one worker that was the best is judged by the mean of a rate that steps",
            (f"{AGAIN}::test_one_worker_that_was_the_best_is_not_kept_where_the_rate_has_stepped_beyond_it",),
            swap("late < terms.constants.counted", "trials.best_ns < terms.interval"),
        ),
    ),
    *of(
        "pyx/ordered/keeping_up.pyx",
        (
            "one worker may work off a long interruption as slowly as it will",
            (f"{AGAIN}::test_a_long_interruption_is_worked_off_by_several",),
            swap("terms.constants.unusual)", "1.0)"),
        ),
    ),
)
