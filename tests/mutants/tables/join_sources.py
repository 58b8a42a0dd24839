"""Joins as sources, of tables and of streams; the query over two streams."""

from __future__ import annotations

from mutation import Mutation

SOURCE = "tests/unit/join/test_join_source.py"
STREAMS = "tests/unit/join/test_stream_joins.py"
MEANING = "tests/unit/joins/test_meaning_of_streams.py"
MOVED = f"{STREAMS}::test_rows_are_found_however_often_they_have_moved"

MUTATIONS = (
    Mutation(
        "a join's further run goes on where the last one ended",
        "pyx/join/join_source.pyx",
        "        memset(&self.cursor, 0, sizeof(self.cursor))\n",
        "",
        (f"{SOURCE}::test_a_further_run_begins_anew",),
    ),
    Mutation(
        "the pairs of a batch that a unit has no room for are lost",
        "pyx/join/join_source.pyx",
        "        self.given += n\n",
        "        self.given = <int64_t>self.matches.size()\n",
        (f"{SOURCE}::test_one_tuple_may_match_many",),
    ),
    Mutation(
        "rows that have moved are looked for where they were",
        "pyx/join/stream_join_source.pyx",
        "        self.first[side] = oldest\n        self.find_rows(side)\n",
        "        self.first[side] = oldest\n",
        (MOVED,),
    ),
    Mutation(
        "what has left the windows is held while the other side is silent",
        "pyx/join/stream_join_source.pyx",
        "        if next_row > 0:                # ",
        "        if next_row < 0:                # ",
        (MOVED,),
    ),
    Mutation(
        "the last row of a side may be overwritten",
        "pyx/join/stream_join_source.pyx",
        "min(self.cursor.first[side], next_row - 1)",
        "min(self.cursor.first[side], next_row)",
        (f"{MEANING}::test_a_sides_last_time_stays_known_where_its_rows_are_forgotten",),
    ),
    Mutation(
        "a null among what is compared is a value",
        "pyx/join/stream_join_source.pyx",
        "if held.null is not NULL and self.has_null(held, tuples):",
        "if False and self.has_null(held, tuples):",
        (f"{MEANING}::test_a_null_that_would_be_compared_ends_the_run_as_in_a_join_of_tables",),
    ),
    Mutation(
        "a side that has nothing just now ends the join",
        "pyx/join/stream_join_source.pyx",
        "            return NOTHING_YET\n",
        "            return ENDED\n",
        (f"{STREAMS}::test_a_side_that_has_nothing_just_now_is_waited_for",),
    ),
    Mutation(
        "a window may have more tuples than a tier holds",
        "pyx/join/stream_join_source.pyx",
        "                if probes.last[i] - probes.first[i] > self.capacity:\n",
        "                if probes.last[i] - probes.first[i] > self.room:\n",
        (f"{STREAMS}::test_a_window_is_told_of_short_streams_too",),
    ),
    Mutation(
        "qjoin counts views that come after the purchase",
        "queries/qjoin/operators.pyx",
        "(ts[i] == bought_at[i])",
        "(ts[i] >= bought_at[i])",
        ("tests/queries/test_qjoin.py::test_at_the_edges_all_agree",),
    ),
)
