"""Joins: windows, tiers, the order of matches, handshake join."""

from __future__ import annotations

from mutation import drop, of, put, swap

TIERS = "tests/unit/join/test_join_tiers.py"
NAIVE = f"{TIERS}::test_any_small_join_is_the_naive_one"
CASES = f"{TIERS}::test_a_tier_gives_the_naive_joins_rows_in_its_order"
THREADS = f"{TIERS}::test_the_output_does_not_depend_on_the_number_of_threads"
TIES = f"{TIERS}::test_equal_timestamps_are_ordered_by_side_then_row"
MERGE = "tests/concurrency/test_join_merge.py"
HANDSHAKE = "tests/unit/lab/measure/test_handshake.py"
SCALEJOIN = f"{HANDSHAKE}::test_a_handshake_join_gives_the_rows_of_scalejoin_in_its_order"

MUTATIONS = (
    *of(
        "pyx/join/ready_batch.pyx",
        ("join: a window is one unit of time short", (NAIVE,), swap("side]] < bound", "side]] <= bound")),
        ("join: a window of tuples holds one less", (NAIVE,), swap("- streams.window)", "- streams.window + 1)")),
        ("join: at equal times the right side comes first", (TIES,), swap(".row[LEFT]] <=", ".row[LEFT]] <")),
    ),
    *of(
        "pyx/join/definition.pyx",
        (
            "join: the width of a float32 band is not rounded",
            (f"{TIERS}::test_a_float32_band_as_wide_as_there_are_numbers_leaves_out_what_is_infinite",),
            swap("np.float32(min(width, FLOAT32_MAX))) if term.kind == SINGLE else width", "width)"),
        ),
    ),
    *of(
        "pyx/join/index_tier.pyx",
        (
            "index: what matches nothing is stored and looked for",
            (f"{TIERS}::test_an_index_neither_stores_nor_looks_for_what_matches_nothing",),
            swap("return True", "return False"),
        ),
    ),
    *of(
        "pyx/join/ready_batch.pyx",
        (
            "join: the largest window is that of the first tuples",
            ("tests/unit/join/test_definition.py::test_the_largest_window_may_come_after_many_small_ones",),
            put("next_batch", "for i in range(probes.n):", before="break"),
        ),
    ),
    *of(
        "pyx/join/terms.pyx",
        (
            "join: a code's stretch ends one early",
            (CASES,),
            swap("uint64_t>term.width", "uint64_t>term.width - (term.width > 0)"),
        ),
    ),
    *of(
        "pyx/join/scan_tier.pyx",
        ("scan: the oldest tuple of a window is left out", (CASES,), swap("[probe] <= row", "[probe] < row")),
        (
            "scan: a thread counts another one's strip as its own",
            (THREADS,),
            swap("rest, <int64_t", "rest + STRIP, <int64_t"),
        ),
        (
            "scan: a stored tuple has the row of the first thread's",
            (THREADS,),
            swap("threads + self.number", "threads"),
        ),
    ),
    *of(
        "pyx/join/index_tier.pyx",
        (
            "index: a chunk goes whose newest tuple is the window's oldest",
            (CASES, THREADS),
            swap(".newest < self", ".newest <= self"),
        ),
    ),
    *of(
        "pyx/join/list_tier.pyx",
        (
            "three-step: a tuple leaves when one of the other side comes",
            (NAIVE,),
            swap("(side, earlier", "(1 - side, earlier"),
        ),
    ),
    *of(
        "pyx/join/match_merge.pyx",
        ("merge: a tuple's matches come with the latest first", (THREADS,), swap(".right < least", ".right > least")),
        (
            "merge: what one thread has published is taken for ready",
            (THREADS,),
            swap("min(least, self", "max(least, self"),
        ),
        (
            "merge: a thread may be one batch further ahead than there is room",
            (MERGE,),
            swap("= BATCHES_AHEAD", " BATCHES_AHEAD"),
        ),
        (
            "merge: the turn is taken by a load and a store",
            (MERGE,),
            swap("1 or self.turn.value.exchange(1, memory_order_acquire) == 1", "1"),
            put("yield_point", "merge(", after="self.turn.value.store(1)"),
        ),
        ("merge: who has merged wakes nobody", (MERGE,), swap("return end > begin", "return False")),
    ),
    *of(
        "streambench/lab/measure/joins/handshake_windows.pyx",
        (
            "handshake: every thread stores all that fills the windows",
            (f"{HANDSHAKE}::test_tuples_that_only_fill_the_windows_are_not_compared_with_each_other",),
            swap("= self.threads", "= 1"),
        ),
        (
            "handshake: those in flight are not compared",
            (SCALEJOIN,),
            drop("self.compare_window(LEFT, &one, &self.in_flight"),
        ),
        (
            "handshake: left tuples are shown before their expedition has ended",
            (SCALEJOIN,),
            put("self.compare_window(RIGHT", after="self.compare_window(RIGHT, &one, &self.expeditions)"),
        ),
        (
            "handshake: the side that is ahead is in every window",
            (SCALEJOIN,),
            swap("dereference(newest).ts <= last_ts", "True"),
        ),
    ),
    *of(
        "streambench/lab/measure/joins/handshake_output.pyx",
        (
            "handshake: a match leaves at the punctuation, not before it",
            (SCALEJOIN,),
            swap("front().ts < ts", "front().ts <= ts"),
        ),
        ("handshake: one thread's punctuation counts for all", (SCALEJOIN,), swap("self.threads", "1", "let_out(")),
    ),
)
