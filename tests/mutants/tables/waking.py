"""Sleeping, waking, and tickets."""

from __future__ import annotations

from mutation import Mutation

WAKING = "tests/concurrency/test_wake_ups.py"
PARKING = "tests/concurrency/test_parking.py"
COUNTED = f"{PARKING}::test_sleepers_and_permits_are_those_who_have_announced_themselves"
SAME_TICKET = (
    "tests/concurrency/test_reordering.py::test_of_users_that_claim_a_ticket_at_the_same_time_exactly_one_is_accepted"
)

MUTATIONS = (
    Mutation(
        "pass_turn wakes nobody",
        "pyx/ordered/segments.pyx",
        """        turn_of(segment, shard).exchange(serial << 1, memory_order_seq_cst)
        wake_one(self.parking)
""",
        """        turn_of(segment, shard).exchange(serial << 1, memory_order_seq_cst)
""",
        (f"{WAKING}::test_a_turn_that_is_passed_on_wakes_a_sleeper",),
    ),
    Mutation(
        "publish wakes nobody",
        "pyx/ordered/segments.pyx",
        """        unit.ready.value.exchange(ready_for(plan, unit.serial, j), memory_order_seq_cst)
        wake_one(self.parking)
""",
        """        unit.ready.value.exchange(ready_for(plan, unit.serial, j), memory_order_seq_cst)
""",
        (f"{WAKING}::test_a_published_unit_wakes_a_sleeper",),
    ),
    Mutation(
        "ordered: nobody is woken at the end",
        "pyx/ordered/ordered_engine.pyx",
        "        wake_all(self.parking)           # the others shall see that it is over\n",
        "",
        (f"{WAKING}::test_the_end_wakes_all",),
    ),
    Mutation(
        "beside a lone worker the others nap on their cores",
        "pyx/ordered/ordered_engine.pyx",
        "                    nap_no_more(&idle)\n",
        "                    pass\n",
        (f"{WAKING}::test_where_one_worker_has_everything_and_all_may_move_the_others_sleep_without_a_nap",),
    ),
    Mutation(
        "a lone worker that has run dry sleeps at once",
        "pyx/ordered/ordered_engine.pyx",
        "                        and self.ingress.lock.value.load(memory_order_relaxed) != 0):\n",
        "                        ):\n",
        (f"{WAKING}::test_a_lone_worker_that_has_run_dry_naps_though_all_may_move",),
    ),
    Mutation(
        "schemes: nobody is woken at the end",
        "pyx/schemes/schemes_engine.pyx",
        "        wake_all(idle.parking)              # the others shall see that it is over\n",
        "",
        (f"{WAKING}::test_the_end_wakes_all",),
    ),
    Mutation(
        "wake_all rouses one",
        "pyx/machine/parking.pyx",
        "        rouse(parking, n)",
        "        rouse(parking, 1)",
        (f"{WAKING}::test_the_end_wakes_all",),
    ),
    Mutation(
        "a stop wakes nobody",
        "pyx/engine/stop_token.pyx",
        "        wake_all(self.parking)\n",
        "",
        (f"{WAKING}::test_a_stop_wakes_all",),
    ),
    Mutation(
        "nobody watches a silent source",
        "pyx/machine/idle.pyx",
        "    return parking.watched.load(memory_order_seq_cst) == 0 and parking",
        "    return False and parking",
        (f"{WAKING}::test_somebody_keeps_watch_over_a_silent_source",),
    ),
    Mutation(
        "a watch never ends",
        "pyx/machine/idle.pyx",
        "    parking.watched.store(0, memory_order_seq_cst)",
        "    pass",
        (f"{WAKING}::test_somebody_keeps_watch_over_a_silent_source",),
    ),
    Mutation(
        "who keeps watch sleeps past the next tuple",
        "pyx/machine/idle.pyx",
        "            span = min(span, until_due - SOON)",
        "            pass",
        (f"{WAKING}::test_somebody_wakes_when_the_next_tuple_is_due",),
    ),
    Mutation(
        "park sleeps although it has a permit",
        "pyx/machine/parking.pyx",
        "    if state < PERMIT:\n        if not slept",
        "    if True:\n        if not slept",
        (f"{PARKING}::test_who_has_a_permit_does_not_sleep",),
    ),
    Mutation(
        "park leaves its permit",
        "pyx/machine/parking.pyx",
        "state - (PERMIT if state >= PERMIT else SLEEPER)",
        "state - (SLEEPER if state & SLEEPERS else PERMIT)",
        (COUNTED,),
    ),
    Mutation(
        "withdraw takes a sleeper's permit",
        "pyx/machine/parking.pyx",
        "state - (SLEEPER if state & SLEEPERS else PERMIT)",
        "state - (PERMIT if state >= PERMIT else SLEEPER)",
        (COUNTED,),
    ),
    Mutation(
        "who finds work stays counted as a sleeper",
        "pyx/machine/idle.pxd",
        "        if idle.announced:\n            withdraw(idle.parking)\n",
        "",
        (f"{PARKING}::test_who_finds_work_in_the_last_look_is_no_sleeper_any_more",),
    ),
    Mutation(
        "a ticket claimed by load and store",
        "pyx/order/ordered_scheduler.pyx",
        """        yield_point()
        # The ring orders the tasks; the lap only tells two users of one ticket apart.
        if self.tasks[ticket & self.ring.mask].lap.compare_exchange_strong(lap, lap + 1, memory_order_relaxed,
                                                                           memory_order_relaxed):
            return TAKEN
""",
        """        if self.tasks[ticket & self.ring.mask].lap.load(memory_order_relaxed) == lap:
            yield_point()
            self.tasks[ticket & self.ring.mask].lap.store(lap + 1, memory_order_relaxed)
            return TAKEN
""",
        (SAME_TICKET,),
    ),
    Mutation(
        "a ticket claimed without its lap",
        "pyx/order/ordered_scheduler.pyx",
        "lap.compare_exchange_strong(lap, lap + 1, memory_order_relaxed,",
        "lap.compare_exchange_strong(lap, lap, memory_order_relaxed,",
        (SAME_TICKET,),
    ),
)
