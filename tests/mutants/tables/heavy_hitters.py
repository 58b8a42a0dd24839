"""Heavy hitters: items whose bucket is full, and texts with one hash."""

from __future__ import annotations

from mutation import Mutation

TESTS = "tests/unit/heavy_hitters"

MUTATIONS = (
    Mutation(
        "the only stashed item of a bucket is not found",
        "pyx/heavy_hitters/counter_table.pyx",
        "table.spilled[bucket] > 0:",
        "table.spilled[bucket] > 1:",
        (f"{TESTS}/test_fast_summary.py::test_an_item_that_found_its_bucket_full_is_found_again",),
    ),
    Mutation(
        "a text counts as the longer one that it begins",
        "pyx/heavy_hitters/text_store.pyx",
        "if known.size != size or (size > 0 and memcmp(self.stored.data() + known.begin, text, size) != 0):",
        "if size > 0 and memcmp(self.stored.data() + known.begin, text, size) != 0:",
        (f"{TESTS}/test_heavy_hitters.py::test_a_text_is_not_the_longer_one_with_its_hash_that_it_begins",),
    ),
)
