"""The queries' own operators: mistakes that random data seldom show."""

from __future__ import annotations

from mutation import Mutation

KEYED = "tests/queries/test_keyed_operators.py"
FILTERS = "tests/queries/test_filters.py"
ENGINES = "tests/queries/test_queries.py::test_every_engine_emits_and_answers_what_naive_python_does"

MUTATIONS = (
    Mutation(
        "Q2: a gap of exactly an hour closes a session",
        "queries/q2/operators.pyx",
        "            if ts - session.mark > gap and session.n:",
        "            if ts - session.mark >= gap and session.n:",
        (f"{KEYED}::test_a_session_is_the_ascending_list_of_its_distinct_items",),
    ),
    Mutation(
        "Q2: an item seen twice stays twice in a long session",
        "queries/q2/operators.pyx",
        "    return <int32_t>(unique(to, to + n) - to)",
        "    return n",
        (f"{KEYED}::test_sessions_may_be_of_any_length",),
    ),
    Mutation(
        "Q2: the last pair of a session is missing",
        "queries/q2/operators.pyx",
        "    out.n += <int32_t>(pairs_of(length) - pairs_of(length - firsts))",
        "    out.n += <int32_t>(pairs_of(length) - pairs_of(length - firsts)) - (length > 1)",
        (f"{FILTERS}::test_pairs_of_a_session_come_in_lexicographic_order",),
    ),
    Mutation(
        "Q3: a click exactly ten days before is too old",
        "queries/q3/operators.pyx",
        "(ring.ts[at] >= since)",
        "(ring.ts[at] > since)",
        (f"{KEYED}::test_a_purchase_emits_the_last_clicks_of_its_window_oldest_first",),
    ),
    Mutation(
        "Q3: the newest view comes first once the ring is full",
        "queries/q3/operators.pyx",
        "at = ring.next if ring.held == DEPTH else 0",
        "at = 0",
        (f"{KEYED}::test_a_purchase_emits_the_last_clicks_of_its_window_oldest_first",),
    ),
    Mutation(
        "Q4: pages + 1",
        "queries/q4/operators.pyx",
        "            int64_column(out, 0)[i] = pages\n",
        "            int64_column(out, 0)[i] = pages + 1\n",
        (ENGINES,),
    ),
    Mutation(
        "Q4: a gap of exactly an hour closes a session",
        "queries/q4/operators.pyx",
        "            if ts - cart.last > gap:",
        "            if ts - cart.last >= gap:",
        (f"{KEYED}::test_a_cart_session_counts_clicks_and_remembers_its_last_pages",),
    ),
    Mutation(
        "Q4: a session with neither page is abandoned",
        "queries/q4/operators.pyx",
        "            kept += last_dynamic[i] > last_order[i]",
        "            kept += last_dynamic[i] >= last_order[i]",
        (f"{FILTERS}::test_abandoned_carts_are_counted_one_by_one",),
    ),
)
