"""Operators around functions."""

from __future__ import annotations

from mutation import drop, of, swap

TWINS = "tests/unit/operators/test_function_operators.py::"
REFUSED = TWINS + "test_a_refused_tuple_is_told_and_all_before_it_has_left_and_nothing_after"
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
            "a compiled keyed function does not say which tuple an output came from",
            (EACH,),
            swap('source_row[emitted] = at", "', ""),
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
