"""Workers that wait for a core: what they have waited, and where they sit."""

from __future__ import annotations

from mutation import drop, of, swap

QUEUES = "tests/unit/ordered/test_run_queues.py"
SEATS = "tests/unit/ordered/test_seats.py"
WAITING = "tests/unit/ordered/test_waiting.py"
RESTING = "tests/unit/ordered/test_resting.py"

MUTATIONS = (
    *of(
        "pyx/ordered/controller.pyx",
        (
            "with many cores, too, the plan is whole beside somebody",
            (f"{RESTING}::test_as_many_workers_rest_as_somebody_else_has_cores",),
            swap("self.shared and self.crowd.resting < self.terms.workers - 1", "False"),
        ),
    ),
    *of(
        "pyx/ordered/waiting.pyx",
        (
            "waits while more workers are on trial let further ones rest",
            (f"{RESTING}::test_it_yields_what_the_other_cores_do_and_all_of_them_when_it_is_over",),
            drop("if not is_open"),
            drop("waiting.spells = 0", "Heeded heed("),
        ),
        (
            "the last worker that works is told to rest, too",
            (f"{RESTING}::test_twice_as_many_rest_until_fewer_than_two_would_be_left",),
            swap("or 1 < working", "or working"),
        ),
    ),
    *of(
        "pyx/ordered/ordered_engine.pyx",
        (
            "whoever is told to rest works on",
            (f"{RESTING}::test_workers_on_simulated_cores_let_the_one_rest_whose_core_is_taken",),
            swap("self.seats.rests(number)", "False"),
        ),
    ),
    *of(
        "pyx/ordered/seats.pyx",
        (
            "any worker may be the one that rests",
            (f"{RESTING}::test_who_has_waited_longest_rests_and_who_has_rested_longest_is_back_first",),
            swap("queues.late[k].value.load(memory_order_relaxed) > most", "most < 0"),
        ),
        (
            "who rests though it had not waited is back last",
            (f"{RESTING}::test_who_rests_without_having_waited_is_back_first",),
            swap("told if most > LEAST else -self.told", "told"),
        ),
    ),
    *of(
        "pyx/machine/run_queue.pyx",
        (
            "what a thread has run is taken for what it has waited",
            (f"{QUEUES}::test_what_a_thread_has_waited_is_the_second_number_of_its_account",),
            drop("while k < n and text"),
            drop("k += 1", "enter("),
            drop("if k >= n:"),
            drop("return UNKNOWN", "if k >= n:"),
            drop("k += 1", "if k >= n:"),
        ),
        (
            "of many that wait the last one counts",
            (f"{QUEUES}::test_the_longest_wait_since_it_was_last_asked_for_is_told",),
            swap(
                "max(longest, now - self.seen[k].value.load(memory_order_relaxed)",
                "now - self.seen[k].value.load(memory_order_relaxed",
            ),
        ),
    ),
    *of(
        "pyx/ordered/controller.pyx",
        (
            "units that are under way make a look overdue",
            (f"{WAITING}::test_a_look_is_overdue_by_what_it_is_late_beyond_the_units_under_way",),
            swap("- <double>self.in_flight() * self.unit * self.sizing.spent", ""),
        ),
        (
            "the look of one worker may be overdue",
            (f"{WAITING}::test_the_look_of_one_worker_is_never_overdue",),
            drop("if self.cuts.heads ="),
            drop("return 0"),
        ),
    ),
    *of(
        "pyx/ordered/admission.pyx",
        (
            "what the system tells of waits is told to nobody",
            (f"{RESTING}::test_a_look_is_told_what_a_worker_has_waited",),
            swap("self.run_queues.waited()", "<int64_t>0"),
        ),
        (
            "by what a look is overdue is told to nobody",
            (f"{RESTING}::test_where_the_system_tells_no_waits_workers_are_let_go_as_a_look_is_overdue",),
            swap("0 if self.dry else self.controller.overdue(begun)", "<int64_t>0"),
        ),
        (
            "nobody is let go",
            (f"{WAITING}::test_a_run_whose_workers_move_has_the_same_output",),
            swap("self.seats.bind(self.controller.crowd.bound)", "pass"),
        ),
    ),
    *of(
        "pyx/ordered/seats.pyx",
        (
            "who sits down late stays on its core",
            (f"{SEATS}::test_who_sits_down_while_the_others_may_move_may_move_too",),
            swap("core >= 0 and self.moving.value.load(memory_order_seq_cst) != 0", "False"),
        ),
        (
            "who has left is moved",
            (f"{SEATS}::test_who_has_left_is_not_moved",),
            swap("self.threads[number].value.store(0, memory_order_relaxed)", "pass"),
        ),
    ),
)
