"""Sleeping, waking, and tickets."""

from __future__ import annotations

from mutation import drop, of, swap

WAKING = "tests/concurrency/test_wake_ups.py"
PARKING = "tests/concurrency/test_parking.py"
COUNTED = f"{PARKING}::test_sleepers_and_permits_are_those_who_have_announced_themselves"
SAME_TICKET = (
    "tests/concurrency/test_reordering.py::test_of_users_that_claim_a_ticket_at_the_same_time_exactly_one_is_accepted"
)

MUTATIONS = (
    *of(
        "pyx/ordered/segments.pyx",
        (
            "pass_turn wakes nobody",
            (f"{WAKING}::test_a_turn_that_is_passed_on_wakes_a_sleeper",),
            drop("wake_one", "visit("),
        ),
        (
            "publish wakes nobody",
            (f"{WAKING}::test_a_published_unit_wakes_a_sleeper",),
            drop("wake_one", "void finish("),
        ),
    ),
    *of(
        "pyx/ordered/ordered_engine.pyx",
        ("ordered: nobody is woken at the end", (f"{WAKING}::test_the_end_wakes_all",), drop("wake_all(self.parking")),
        (
            "beside a lone worker the others nap on their cores",
            (f"{WAKING}::test_where_one_worker_has_everything_and_all_may_move_the_others_sleep_without_a_nap",),
            swap("nap_no_more(&idle)", "pass"),
        ),
        (
            "a lone worker that has run dry sleeps at once",
            (f"{WAKING}::test_a_lone_worker_that_has_run_dry_naps_though_all_may_move",),
            swap("and self.ingress.lock.value.load(memory_order_relaxed) != 0", ""),
        ),
    ),
    *of(
        "pyx/schemes/schemes_engine.pyx",
        ("schemes: nobody is woken at the end", (f"{WAKING}::test_the_end_wakes_all",), drop("wake_all(idle.")),
    ),
    *of(
        "pyx/machine/parking.pyx",
        ("wake_all rouses one", (f"{WAKING}::test_the_end_wakes_all",), swap("rouse(parking, n", "rouse(parking, 1")),
    ),
    *of(
        "pyx/engine/stop_token.pyx",
        ("a stop wakes nobody", (f"{WAKING}::test_a_stop_wakes_all",), drop("wake_all(self.")),
    ),
    *of(
        "pyx/machine/idle.pyx",
        (
            "nobody watches a silent source",
            (f"{WAKING}::test_somebody_keeps_watch_over_a_silent_source",),
            swap("parking.watched.load(memory_order_seq_cst) == 0", "False"),
        ),
        (
            "a watch never ends",
            (f"{WAKING}::test_somebody_keeps_watch_over_a_silent_source",),
            swap("parking.watched.store(0, memory_order_seq_cst)", "pass"),
        ),
        (
            "who keeps watch sleeps past the next tuple",
            (f"{WAKING}::test_somebody_wakes_when_the_next_tuple_is_due",),
            swap("span = min(span, until_due - SOON)", "pass"),
        ),
    ),
    *of(
        "pyx/machine/parking.pyx",
        (
            "park sleeps although it has a permit",
            (f"{PARKING}::test_who_has_a_permit_does_not_sleep",),
            swap("state < PERMIT", "True"),
        ),
        (
            "park leaves its permit",
            (COUNTED,),
            swap("PERMIT if state >= PERMIT else SLEEPER", "SLEEPER if state & SLEEPERS else PERMIT"),
        ),
        (
            "withdraw takes a sleeper's permit",
            (COUNTED,),
            swap("SLEEPER if state & SLEEPERS else PERMIT", "PERMIT if state >= PERMIT else SLEEPER"),
        ),
    ),
    *of(
        "pyx/machine/idle.pxd",
        (
            "who finds work stays counted as a sleeper",
            (f"{PARKING}::test_who_finds_work_in_the_last_look_is_no_sleeper_any_more",),
            drop("if idle.announced"),
            drop("withdraw(idle."),
        ),
    ),
    *of(
        "pyx/order/ordered_scheduler.pyx",
        (
            "a ticket claimed by load and store",
            (SAME_TICKET,),
            drop(
                "yield_point",
                "trash(",
                put=(
                    "if self.tasks[ticket & self.ring.mask].lap.load(memory_order_relaxed) == lap:\n"
                    "    yield_point()\n"
                    "    self.tasks[ticket & self.ring.mask].lap.store(lap + 1, memory_order_relaxed)\n"
                ),
            ),
            drop("if self.tasks["),
            drop("memory_order_relaxed)", "return NO_ROOM"),
        ),
        ("a ticket claimed without its lap", (SAME_TICKET,), swap("(lap, lap + 1,", "(lap, lap,")),
    ),
)
