"""Arrow at the border: batches that are read in place, nulls, codes."""

from __future__ import annotations

from mutation import of, swap

BATCHES = "tests/unit/tuples/test_batch_source.py"
SOURCE = "tests/unit/lab/data/test_arrow_source.py"
SINK = "tests/unit/tuples/test_arrow_columns.py"
LIFETIME = f"{BATCHES}::test_a_batch_is_dropped_once_its_tuples_have_reached_the_sink"

MUTATIONS = (
    *of(
        "pyx/tuples/table_source.pyx",
        ("a batch is dropped as soon as it is cut up", (LIFETIME,), swap("done = unit.source_row", "done = self.now")),
        ("no batch is dropped", (LIFETIME,), swap("oldest < self.done", "oldest < 0")),
        (
            "an error loses what was read ahead of it",
            (f"{BATCHES}::test_an_error_comes_after_all_that_was_read_before_it",),
            swap("self.exhausted = True", "return False", "def lap("),
        ),
    ),
    *of(
        "streambench/data/arrow_column.py",
        (
            "a value that is to stand for null goes through",
            (f"{SOURCE}::test_a_null_that_nothing_stands_for_and_a_value_that_would_be_one_are_refused",),
            swap("if at >= 0:", "if at > 1 << 40:"),
        ),
    ),
    *of(
        "pyx/tuples/text_codes.py",
        (
            "codes are those of a batch",
            (f"{SOURCE}::test_codes_are_given_in_the_order_in_which_texts_first_appear",),
            swap(
                "[known.setdefault(each, len(known) - 1) for each in values]",
                "list(range(len(values := list(values))))",
            ),
        ),
    ),
    *of(
        "pyx/tuples/stream_column.py",
        (
            "what is not aligned is read as it lies",
            (f"{SOURCE}::test_memory_that_no_value_may_stand_in_is_copied",),
            swap('Final = ("C", "A"', 'Final = ("C",'),
        ),
    ),
    *of(
        "pyx/tuples/table_sink.pyx",
        (
            "a sink's next run writes into memory that others read",
            (f"{SINK}::test_the_table_outlives_the_sink_and_what_the_sink_is_given_later",),
            swap("kept = KeptColumns", "kept.bytes.clear", "def open("),
        ),
    ),
)
