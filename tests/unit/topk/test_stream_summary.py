from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_streams import STREAMS, check, exact
from naive_space_saving import space_saving

from streambench.pyx.topk.stream_summary import StreamSummary

COUNTERS = 100


@given(st.lists(st.integers(0, 12), max_size=200), st.integers(1, 8))
def test_it_is_the_published_algorithm(items: list[int], counters: int) -> None:
    summary = StreamSummary(counters)
    summary.add(np.array(items, np.uint64))
    monitored, counts, errors, floor, n, _ = summary.snapshot()
    answer = zip(monitored.tolist(), zip(counts.tolist(), errors.tolist(), strict=True), strict=True)
    assert dict(answer) == space_saving(items, counters)
    assert counts.sum() == n == len(items)
    assert floor == (counts.min() if len(counts) == counters else 0)


@pytest.mark.parametrize("name", STREAMS)
def test_bounds_hold_on_streams_that_are_hard(name: str) -> None:
    stream = STREAMS[name](30_000)
    summary = StreamSummary(COUNTERS)
    summary.add(stream)
    check(summary.snapshot(), exact(stream), 1 / COUNTERS, most=COUNTERS)
    assert summary.snapshot()[1].sum() == len(stream)


def test_the_least_and_the_greatest_items_are_items() -> None:
    stream = np.array([0, 2**64 - 1, 0, 2**63, 2**64 - 1, 0], np.uint64)
    summary = StreamSummary(3)
    summary.add(stream)
    items, counts, errors, floor, _, _ = summary.snapshot()
    assert items.tolist() == [0, 2**64 - 1, 2**63]
    assert counts.tolist() == [3, 2, 1]
    assert errors.tolist() == [0, 0, 0]
    assert floor == 1


def test_one_counter_counts_everything() -> None:
    summary = StreamSummary(1)
    summary.add(np.array([5, 6, 7, 7], np.uint64))
    assert [column.tolist() for column in summary.snapshot()[:3]] == [[7], [4], [2]]


def test_nothing_counted_is_an_empty_answer() -> None:
    summary = StreamSummary(COUNTERS)
    summary.add(np.array([], np.uint64))
    check(summary.snapshot(), {}, 1.0, most=0)


def test_looks_are_right_while_it_is_updated() -> None:
    stream = STREAMS["zipf 1.0"](200_000)
    summary = StreamSummary(COUNTERS)
    thread = threading.Thread(target=summary.add, args=(stream,))
    thread.start()
    seen = -1
    while seen < len(stream):
        _, counts, _, floor, n, _ = summary.snapshot()
        assert counts.sum() == n >= seen
        assert len(counts) < COUNTERS or floor == counts.min()
        seen = n
    thread.join()


def test_a_second_thread_is_refused() -> None:
    with pytest.raises(ValueError, match="updated by 1 thread, not 2"):
        StreamSummary(COUNTERS, 2)
    with pytest.raises(ValueError, match="up to 16777216 counters"):
        StreamSummary(2**24 + 1)
