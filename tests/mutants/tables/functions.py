"""Operators around functions."""

from __future__ import annotations

from mutation import drop, of, swap

TWINS = "tests/unit/operators/test_function_operators.py::"
REFUSED = TWINS + "test_a_refused_tuple_is_told_and_all_before_it_has_left_and_nothing_after"
TIMERS = "tests/unit/operators/test_timers.py::"
EACH = TWINS + "test_each_function_does_what_its_twin_does"

MUTATIONS = (
    *of(
        "pyx/functions/unit_function.pyx",
        (
            "a function that failed is asked again with the state that it left",
            (EACH, REFUSED),
            drop("self.restore", "forget("),
        ),
    ),
    *of(
        "streambench/operators/compiling.py",
        ("the state of a key is not kept before a tuple", (EACH, REFUSED), drop("kept[0] = record")),
        (
            "a compiled function goes on past a timer that is due",
            (f"{TIMERS}test_timers_are_called_as_the_naive_model_calls_them",),
            swap("ended = {first} - i", "pass"),
        ),
        (
            "a compiled keyed function does not say which tuple an output came from",
            (EACH,),
            swap('source_row[emitted] = at", "', ""),
        ),
    ),
    *of(
        "pyx/functions/timed_function.pyx",
        (
            "what partitions emit stays as it is",
            (f"{TIMERS}test_timers_of_one_time_ascend_by_a_key_of_any_types",),
            swap("sort(order.begin(), order.end(), &earlier)", "pass"),
        ),
        (
            "a timer that was taken back is called",
            (f"{TIMERS}test_timers_are_called_as_the_naive_model_calls_them",),
            swap("self.of.due(timer.state) == timer.time", "self.of.due(timer.state) <= timer.time"),
        ),
    ),
    *of(
        "pyx/functions/keyed_operator.pyx",
        (
            "a keyed function begins each block with the first tuples",
            (EACH,),
            swap("selected, begin + i", "selected, i"),
        ),
    ),
    *of(
        "pyx/functions/unit_function.pyx",
        (
            "what was written before a refused tuple is left out",
            (EACH, REFUSED),
            swap("not self.in_place", "False", "int64_t ask("),
        ),
    ),
)
