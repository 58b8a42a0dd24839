"""Operators around functions."""

from __future__ import annotations

from mutation import Mutation

TWINS = "tests/unit/operators/test_function_operators.py::"
REFUSED = TWINS + "test_a_refused_tuple_is_told_and_all_before_it_has_left_and_nothing_after"
EACH = TWINS + "test_each_function_does_what_its_twin_does"

MUTATIONS = (
    Mutation(
        "a function that failed is asked again with the state that it left",
        "pyx/functions/unit_function.pyx",
        "        self.restore()\n        for row in range(begin, begin + n):",
        "        for row in range(begin, begin + n):",
        (EACH, REFUSED),
    ),
    Mutation(
        "the state of a key is not kept before a tuple",
        "streambench/operators/compiling.py",
        "            kept[0] = record\n",
        "",
        (EACH, REFUSED),
    ),
    Mutation(
        "a compiled keyed function does not say which tuple an output came from",
        "streambench/operators/compiling.py",
        'emit += ["source_row[emitted] = at", "emitted += 1"]',
        'emit += ["emitted += 1"]',
        (EACH,),
    ),
    Mutation(
        "a keyed function begins each block with the first tuples",
        "pyx/functions/keyed_operator.pyx",
        "row_at(selected, begin + i)",
        "row_at(selected, i)",
        (EACH,),
    ),
    Mutation(
        "what was written before a refused tuple is left out",
        "pyx/functions/unit_function.pyx",
        """            if not self.in_place:
                out.n = <int32_t>made
        if not""",
        """            if False:
                out.n = <int32_t>made
        if not""",
        (EACH, REFUSED),
    ),
)
