"""Top-k: items whose bucket is full, and texts with one hash."""

from __future__ import annotations

from mutation import of, swap

TESTS = "tests/unit/topk"

MUTATIONS = (
    *of(
        "pyx/topk/counter_table.pyx",
        (
            "the only stashed item of a bucket is not found",
            (f"{TESTS}/test_fast_summary.py::test_an_item_that_found_its_bucket_full_is_found_again",),
            swap("spilled[bucket] > 0", "spilled[bucket] > 1"),
        ),
    ),
    *of(
        "pyx/topk/text_store.pyx",
        (
            "a text counts as the longer one that it begins",
            (f"{TESTS}/test_topk.py::test_a_text_is_not_the_longer_one_with_its_hash_that_it_begins",),
            swap(
                "known.size != size or (size > 0 and memcmp(self.stored.data() + known.begin, text, size) != 0)",
                "size > 0 and memcmp(self.stored.data() + known.begin, text, size) != 0",
            ),
        ),
    ),
)
