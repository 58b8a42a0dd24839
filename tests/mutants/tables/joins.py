"""Joins: windows, tiers, the order of matches, handshake join."""

from __future__ import annotations

from mutation import Mutation

TIERS = "tests/unit/join/test_join_tiers.py"
NAIVE = f"{TIERS}::test_any_small_join_is_the_naive_one"
CASES = f"{TIERS}::test_a_tier_gives_the_naive_joins_rows_in_its_order"
THREADS = f"{TIERS}::test_the_output_does_not_depend_on_the_number_of_threads"
TIES = f"{TIERS}::test_equal_timestamps_are_ordered_by_side_then_row"
MERGE = "tests/concurrency/test_join_merge.py"
HANDSHAKE = "tests/unit/lab/measure/test_handshake.py"
SCALEJOIN = f"{HANDSHAKE}::test_a_handshake_join_gives_the_rows_of_scalejoin_in_its_order"

MUTATIONS = (
    Mutation(
        "join: a window is one unit of time short",
        "pyx/join/ready_batch.pyx",
        "streams.ts[side][cursor.first[side]] < bound:",
        "streams.ts[side][cursor.first[side]] <= bound:",
        (NAIVE,),
    ),
    Mutation(
        "join: a window of tuples holds one less",
        "pyx/join/ready_batch.pyx",
        "max(cursor.first[side], end - streams.window)",
        "max(cursor.first[side], end - streams.window + 1)",
        (NAIVE,),
    ),
    Mutation(
        "join: at equal times the right side comes first",
        "pyx/join/ready_batch.pyx",
        "            or streams.ts[LEFT][cursor.row[LEFT]] <= streams.ts[RIGHT][cursor.row[RIGHT]]\n",
        "            or streams.ts[LEFT][cursor.row[LEFT]] < streams.ts[RIGHT][cursor.row[RIGHT]]\n",
        (TIES,),
    ),
    Mutation(
        "join: the width of a float32 band is not rounded",
        "pyx/join/definition.pyx",
        "float(np.float32(min(width, FLOAT32_MAX))) if term.kind == SINGLE else width",
        "float(width)",
        (f"{TIERS}::test_a_float32_band_as_wide_as_there_are_numbers_leaves_out_what_is_infinite",),
    ),
    Mutation(
        "index: what matches nothing is stored and looked for",
        "pyx/join/index_tier.pyx",
        "            if matches_nothing(self.filter(k), side, row):\n                return True\n",
        "            if matches_nothing(self.filter(k), side, row):\n                return False\n",
        (f"{TIERS}::test_an_index_neither_stores_nor_looks_for_what_matches_nothing",),
    ),
    Mutation(
        "join: the largest window is that of the first tuples",
        "pyx/join/ready_batch.pyx",
        "- probes.first[i])\n        next_batch(",
        "- probes.first[i])\n        break\n        next_batch(",
        ("tests/unit/join/test_definition.py::test_the_largest_window_may_come_after_many_small_ones",),
    ),
    Mutation(
        "join: a code's stretch ends one early",
        "pyx/join/terms.pyx",
        "        term.reach = 2 * <uint64_t>term.width\n",
        "        term.reach = 2 * <uint64_t>term.width - (term.width > 0)\n",
        (CASES,),
    ),
    Mutation(
        "scan: the oldest tuple of a window is left out",
        "pyx/join/scan_tier.pyx",
        "            if (probes.first[probe] <= row < probes.last[probe]\n",
        "            if (probes.first[probe] < row < probes.last[probe]\n",
        (CASES,),
    ),
    Mutation(
        "scan: a thread counts another one's strip as its own",
        "pyx/join/scan_tier.pyx",
        "        return rounds * STRIP + min(max(rest, <int64_t>0), <int64_t>STRIP)\n",
        "        return rounds * STRIP + min(max(rest + STRIP, <int64_t>0), <int64_t>STRIP)\n",
        (THREADS,),
    ),
    Mutation(
        "scan: a stored tuple has the row of the first thread's",
        "pyx/join/scan_tier.pyx",
        "(stored // STRIP * self.threads + self.number) * STRIP",
        "(stored // STRIP * self.threads) * STRIP",
        (THREADS,),
    ),
    Mutation(
        "index: a chunk goes whose newest tuple is the window's oldest",
        "pyx/join/index_tier.pyx",
        "cell.oldest.newest < self.oldest[side]:",
        "cell.oldest.newest <= self.oldest[side]:",
        (CASES, THREADS),
    ),
    Mutation(
        "three-step: a tuple leaves when one of the other side comes",
        "pyx/join/list_tier.pyx",
        "                self.remove(side, earlier(one.ts, self.definition.streams.window))\n",
        "                self.remove(1 - side, earlier(one.ts, self.definition.streams.window))\n",
        (NAIVE,),
    ),
    Mutation(
        "merge: a tuple's matches come with the latest first",
        "pyx/join/match_merge.pyx",
        "match.left + match.right < least.left + least.right",
        "match.left + match.right > least.left + least.right",
        (THREADS,),
    ),
    Mutation(
        "merge: what one thread has published is taken for ready",
        "pyx/join/match_merge.pyx",
        "            least = min(least, self.published[thread].value.load(memory_order_acquire))\n",
        "            least = max(least, self.published[thread].value.load(memory_order_acquire))\n",
        (THREADS,),
    ),
    Mutation(
        "merge: a thread may be one batch further ahead than there is room",
        "pyx/join/match_merge.pyx",
        ">= BATCHES_AHEAD:",
        "> BATCHES_AHEAD:",
        (MERGE,),
    ),
    Mutation(
        "merge: the turn is taken by a load and a store",
        "pyx/join/match_merge.pyx",
        """ or self.turn.value.exchange(1, memory_order_acquire) == 1:
            return False
        yield_point()
""",
        """:
            return False
        yield_point()
        self.turn.value.store(1)
""",
        (MERGE,),
    ),
    Mutation(
        "merge: who has merged wakes nobody",
        "pyx/join/match_merge.pyx",
        "        return end > begin\n",
        "        return False\n",
        (MERGE,),
    ),
    Mutation(
        "handshake: every thread stores all that fills the windows",
        "streambench/lab/measure/joins/handshake_windows.pyx",
        "                row += self.threads\n",
        "                row += 1\n",
        (f"{HANDSHAKE}::test_tuples_that_only_fill_the_windows_are_not_compared_with_each_other",),
    ),
    Mutation(
        "handshake: those in flight are not compared",
        "streambench/lab/measure/joins/handshake_windows.pyx",
        "        self.compare_window(LEFT, &one, &self.in_flight)\n",
        "",
        (SCALEJOIN,),
    ),
    Mutation(
        "handshake: left tuples are shown before their expedition has ended",
        "streambench/lab/measure/joins/handshake_windows.pyx",
        "(RIGHT, &one, &self.left)\n",
        "(RIGHT, &one, &self.left)\n        self.compare_window(RIGHT, &one, &self.expeditions)\n",
        (SCALEJOIN,),
    ),
    Mutation(
        "handshake: the side that is ahead is in every window",
        "streambench/lab/measure/joins/handshake_windows.pyx",
        "            if dereference(newest).ts <= last_ts:\n",
        "            if True:\n",
        (SCALEJOIN,),
    ),
    Mutation(
        "handshake: a match leaves at the punctuation, not before it",
        "streambench/lab/measure/joins/handshake_output.pyx",
        "self.waiting.front().ts < ts:",
        "self.waiting.front().ts <= ts:",
        (SCALEJOIN,),
    ),
    Mutation(
        "handshake: one thread's punctuation counts for all",
        "streambench/lab/measure/joins/handshake_output.pyx",
        "        for thread in range(self.threads):\n            ts = min(",
        "        for thread in range(1):\n            ts = min(",
        (SCALEJOIN,),
    ),
)
