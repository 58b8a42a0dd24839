"""The design "independent-fast": what its tables say together is right."""

from __future__ import annotations

import numpy as np
import pytest
from item_streams import STREAMS, check, exact

from streambench.pyx.topk.independent_fast import IndependentFast


@pytest.mark.parametrize("name", ["zipf 0.5", "zipf 1.5", "ascending"])
def test_merged_tables_hold_the_true_counts_within_the_bounds_of_one(name: str) -> None:
    items = STREAMS[name](60_000)
    summary = IndependentFast(100, 3)
    for thread, each in enumerate(np.array_split(items, 3)):
        summary.add(each, thread)
    found = summary.snapshot()
    check(found, exact(items), 0.01, most=summary.counters)
    assert (found[1] >= found[2]).all()


def test_items_that_differ_by_thread_keep_what_the_others_may_have_forgotten() -> None:
    streams = [np.arange(1000, dtype=np.uint64) % np.uint64(7) + np.uint64(10 * thread) for thread in range(2)]
    summary = IndependentFast(5, 2)
    for thread, each in enumerate(streams):
        summary.add(each, thread)
    check(summary.snapshot(), exact(*streams), 1 / 5, most=10)
