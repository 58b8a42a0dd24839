"""Arrow at the border: batches that are read in place, nulls, codes."""

from __future__ import annotations

from mutation import Mutation

BATCHES = "tests/unit/tuples/test_batch_source.py"
SOURCE = "tests/unit/lab/data/test_arrow_source.py"
SINK = "tests/unit/tuples/test_arrow_columns.py"
LIFETIME = f"{BATCHES}::test_a_batch_is_dropped_once_its_tuples_have_reached_the_sink"

MUTATIONS = (
    Mutation(
        "a batch is dropped as soon as it is cut up",
        "pyx/tuples/table_source.pyx",
        "            self.done = unit.source_row\n",
        "            self.done = self.now\n",
        (LIFETIME,),
    ),
    Mutation(
        "no batch is dropped",
        "pyx/tuples/table_source.pyx",
        "        while self.oldest < self.done:\n",
        "        while self.oldest < 0:\n",
        (LIFETIME,),
    ),
    Mutation(
        "an error loses what was read ahead of it",
        "pyx/tuples/table_source.pyx",
        "            self.exhausted = True           # what was read before goes its way\n",
        "            return False\n",
        (f"{BATCHES}::test_an_error_comes_after_all_that_was_read_before_it",),
    ),
    Mutation(
        "a value that is to stand for null goes through",
        "streambench/data/arrow_column.py",
        "        if at >= 0:\n",
        "        if at > 1 << 40:\n",
        (f"{SOURCE}::test_a_null_that_nothing_stands_for_and_a_value_that_would_be_one_are_refused",),
    ),
    Mutation(
        "codes are those of a batch",
        "pyx/tuples/text_codes.py",
        "        codes = [known.setdefault(each, len(known) - 1) for each in values]\n",
        "        codes = list(range(len(values := list(values))))\n",
        (f"{SOURCE}::test_codes_are_given_in_the_order_in_which_texts_first_appear",),
    ),
    Mutation(
        "what is not aligned is read as it lies",
        "pyx/tuples/stream_column.py",
        'READABLE: Final = ("C", "A")',
        'READABLE: Final = ("C",)',
        (f"{SOURCE}::test_memory_that_no_value_may_stand_in_is_copied",),
    ),
    Mutation(
        "a sink's next run writes into memory that others read",
        "pyx/tuples/table_sink.pyx",
        "        self.kept = KeptColumns()       # others may read the old ones\n",
        "        self.kept.bytes.clear()\n",
        (f"{SINK}::test_the_table_outlives_the_sink_and_what_the_sink_is_given_later",),
    ),
)
