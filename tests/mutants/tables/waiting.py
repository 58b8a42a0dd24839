"""Workers that wait for a core: what they have waited, and where they sit."""

from __future__ import annotations

from mutation import Mutation

QUEUES = "tests/unit/ordered/test_run_queues.py"
SEATS = "tests/unit/ordered/test_seats.py"
WAITING = "tests/unit/ordered/test_waiting.py"
RESTING = "tests/unit/ordered/test_resting.py"

MUTATIONS = (
    Mutation(
        "with many cores, too, the plan is whole beside somebody",
        "pyx/ordered/controller.pyx",
        "            if self.shared and self.crowd.resting < self.given.workers - 1:\n",
        "            if False:\n",
        (f"{RESTING}::test_as_many_workers_rest_as_somebody_else_has_cores",),
    ),
    Mutation(
        "waits while more workers are on trial let further ones rest",
        "pyx/ordered/waiting.pyx",
        """    if not is_open(waiting, given, working):
        waiting.spells = 0
""",
        "",
        (f"{RESTING}::test_it_yields_what_the_other_cores_do_and_all_of_them_when_it_is_over",),
    ),
    Mutation(
        "the last worker that works is told to rest, too",
        "pyx/ordered/waiting.pyx",
        "waiting.resting == 0 or 1 < working ==",
        "waiting.resting == 0 or working ==",
        (f"{RESTING}::test_twice_as_many_rest_until_fewer_than_two_would_be_left",),
    ),
    Mutation(
        "whoever is told to rest works on",
        "pyx/ordered/ordered_engine.pyx",
        "            if self.seats.rests(number):\n",
        "            if False:\n",
        (f"{RESTING}::test_workers_on_simulated_cores_let_the_one_rest_whose_core_is_taken",),
    ),
    Mutation(
        "any worker may be the one that rests",
        "pyx/ordered/seats.pyx",
        "                if not self.rests(k) and queues.late[k].value.load(memory_order_relaxed) > most:\n",
        "                if not self.rests(k) and most < 0:\n",
        (f"{RESTING}::test_who_has_waited_longest_rests_and_who_has_rested_longest_is_back_first",),
    ),
    Mutation(
        "who rests though it had not waited is back last",
        "pyx/ordered/seats.pyx",
        "self.told if most > LEAST else -self.told",
        "self.told",
        (f"{RESTING}::test_who_rests_without_having_waited_is_back_first",),
    ),
    Mutation(
        "what a thread has run is taken for what it has waited",
        "pyx/machine/run_queue.pyx",
        """    while k < n and text[k] != c" ":
        k += 1
    if k >= n:
        return UNKNOWN
    k += 1
""",
        "",
        (f"{QUEUES}::test_what_a_thread_has_waited_is_the_second_number_of_its_account",),
    ),
    Mutation(
        "of many that wait the last one counts",
        "pyx/machine/run_queue.pyx",
        "                longest = max(longest, now - self.seen[k].value.load(memory_order_relaxed))\n",
        "                longest = now - self.seen[k].value.load(memory_order_relaxed)\n",
        (f"{QUEUES}::test_the_longest_wait_since_it_was_last_asked_for_is_told",),
    ),
    Mutation(
        "units that are under way make a look overdue",
        "pyx/ordered/controller.pyx",
        "                            - <double>self.in_flight() * self.unit * self.sizing.spent)\n",
        "                            )\n",
        (f"{WAITING}::test_a_look_is_overdue_by_what_it_is_late_beyond_the_units_under_way",),
    ),
    Mutation(
        "the look of one worker may be overdue",
        "pyx/ordered/controller.pyx",
        """        if self.cuts.heads == 0:
            return 0
        return <int64_t>max(""",
        "        return <int64_t>max(",
        (f"{WAITING}::test_the_look_of_one_worker_is_never_overdue",),
    ),
    Mutation(
        "what the system tells of waits is told to nobody",
        "pyx/ordered/admission.pyx",
        "max(self.run_queues.waited(), 0 if self.dry",
        "max(<int64_t>0, 0 if self.dry",
        (f"{RESTING}::test_a_look_is_told_what_a_worker_has_waited",),
    ),
    Mutation(
        "by what a look is overdue is told to nobody",
        "pyx/ordered/admission.pyx",
        "0 if self.dry else self.controller.overdue(begun))",
        "<int64_t>0)",
        (f"{RESTING}::test_where_the_system_tells_no_waits_workers_are_let_go_as_a_look_is_overdue",),
    ),
    Mutation(
        "nobody is let go",
        "pyx/ordered/admission.pyx",
        "            self.seats.bind(self.controller.crowd.bound)\n",
        "            pass\n",
        (f"{WAITING}::test_a_run_whose_workers_move_has_the_same_output",),
    ),
    Mutation(
        "who sits down late stays on its core",
        "pyx/ordered/seats.pyx",
        "        if core >= 0 and self.moving.value.load(memory_order_seq_cst) != 0:\n",
        "        if False:\n",
        (f"{SEATS}::test_who_sits_down_while_the_others_may_move_may_move_too",),
    ),
    Mutation(
        "who has left is moved",
        "pyx/ordered/seats.pyx",
        "        self.threads[number].value.store(0, memory_order_relaxed)\n",
        "        pass\n",
        (f"{SEATS}::test_who_has_left_is_not_moved",),
    ),
)
