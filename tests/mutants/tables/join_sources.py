"""Joins as sources, of tables and of streams; the query over two streams."""

from __future__ import annotations

from mutation import drop, of, swap

SOURCE = "tests/unit/join/test_join_source.py"
STREAMS = "tests/unit/join/test_stream_joins.py"
MEANING = "tests/unit/joins/test_meaning_of_streams.py"
MOVED = f"{STREAMS}::test_rows_are_found_however_often_they_have_moved"

MUTATIONS = (
    *of(
        "pyx/join/join_source.pyx",
        (
            "a join's further run goes on where the last one ended",
            (f"{SOURCE}::test_a_further_run_begins_anew",),
            drop("memset(&self.cursor"),
        ),
        (
            "the pairs of a batch that a unit has no room for are lost",
            (f"{SOURCE}::test_one_tuple_may_match_many",),
            swap("self.given += n", "self.given = <int64_t>self.matches.size()"),
        ),
    ),
    *of(
        "pyx/join/stream_join_source.pyx",
        ("rows that have moved are looked for where they were", (MOVED,), drop("self.find_rows", "size_of(")),
        (
            "what has left the windows is held while the other side is silent",
            (MOVED,),
            swap("if next_row > 0", "if next_row < 0"),
        ),
        (
            "the last row of a side may be overwritten",
            (f"{MEANING}::test_a_sides_last_time_stays_known_where_its_rows_are_forgotten",),
            swap(", next_row - 1", ", next_row"),
        ),
        (
            "a null among what is compared is a value",
            (f"{MEANING}::test_a_null_that_would_be_compared_ends_the_run_as_in_a_join_of_tables",),
            swap("held.null is not NULL", "False"),
        ),
        (
            "a side that has nothing just now ends the join",
            (f"{STREAMS}::test_a_side_that_has_nothing_just_now_is_waited_for",),
            swap("return NOTHING_YET", "return ENDED"),
        ),
        (
            "a window may have more tuples than a tier holds",
            (f"{STREAMS}::test_a_window_is_told_of_short_streams_too",),
            swap("i] > self.capacity", "i] > self.room"),
        ),
    ),
    *of(
        "queries/qjoin/operators.pyx",
        (
            "qjoin counts views that come after the purchase",
            ("tests/queries/test_qjoin.py::test_at_the_edges_all_agree",),
            swap("] == bought_at", "] >= bought_at"),
        ),
    ),
)
