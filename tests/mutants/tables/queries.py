"""The queries' own operators: mistakes that random data seldom show."""

from __future__ import annotations

from mutation import of, swap

KEYED = "tests/queries/test_keyed_operators.py"
FILTERS = "tests/queries/test_filters.py"
ENGINES = "tests/queries/test_queries.py::test_every_engine_emits_and_answers_what_naive_python_does"

MUTATIONS = (
    *of(
        "queries/q2/operators.pyx",
        (
            "Q2: a gap of exactly an hour closes a session",
            (f"{KEYED}::test_a_session_is_the_ascending_list_of_its_distinct_items",),
            swap("mark > gap and", "mark >= gap and"),
        ),
        (
            "Q2: an item seen twice stays twice in a long session",
            (f"{KEYED}::test_sessions_may_be_of_any_length",),
            swap("<int32_t>(unique(to, to + n) - to)", "n"),
        ),
        (
            "Q2: the last pair of a session is missing",
            (f"{FILTERS}::test_pairs_of_a_session_come_in_lexicographic_order",),
            swap("length - firsts))", "length - firsts)) - (length > 1)"),
        ),
    ),
    *of(
        "queries/q3/operators.pyx",
        (
            "Q3: a click exactly ten days before is too old",
            (f"{KEYED}::test_a_purchase_emits_the_last_clicks_of_its_window_oldest_first",),
            swap("ring.ts[at] >=", "ring.ts[at] >"),
        ),
        (
            "Q3: the newest view comes first once the ring is full",
            (f"{KEYED}::test_a_purchase_emits_the_last_clicks_of_its_window_oldest_first",),
            swap("ring.next if ring.held == DEPTH else 0", "0"),
        ),
    ),
    *of(
        "queries/q4/operators.pyx",
        ("Q4: pages + 1", (ENGINES,), swap(", 0)[i] = pages", ", 0)[i] = pages + 1")),
        (
            "Q4: a gap of exactly an hour closes a session",
            (f"{KEYED}::test_a_cart_session_counts_clicks_and_remembers_its_last_pages",),
            swap("cart.last > gap", "cart.last >= gap"),
        ),
        (
            "Q4: a session with neither page is abandoned",
            (f"{FILTERS}::test_abandoned_carts_are_counted_one_by_one",),
            swap("] > last_order", "] >= last_order"),
        ),
    ),
)
