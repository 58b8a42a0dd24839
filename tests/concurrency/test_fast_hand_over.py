"""The design "fast" with several threads: nothing that is handed over is lost, and a look while they count is right."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from item_streams import STREAMS, Items, check, exact, zipf
from sanitized import SANITIZED
from streambench.pyx.machine.yield_points import inject

from streambench.lab.measure.topk.stream_crew import StreamCrew
from streambench.pyx.topk.fast_summary import FastSummary

PIECE = 1024  # items of a crew's update


def parts(items: Items, threads: int) -> list[Items]:
    return [np.ascontiguousarray(each) for each in np.array_split(items, threads)]


@pytest.mark.parametrize("threads", [2, 3, 8, 32])
@pytest.mark.parametrize("name", ["uniform", "zipf 1.5", "round robin"])
def test_all_items_are_counted_whatever_the_threads_and_their_delays(name: str, threads: int) -> None:
    items = STREAMS[name](60_000)
    summary = FastSummary(100, threads)
    held = summary.nbytes
    inject(3, threads)
    crew = StreamCrew(summary, parts(items, threads), query_every=10_000)
    crew.run()
    check(summary.snapshot(), exact(items), 0.01, most=summary.counters)
    assert crew.asked >= 5
    assert summary.nbytes == held


@pytest.mark.parametrize("threads", [2, 4])
def test_one_thread_of_several_counts_alone_without_waiting_for_the_others(threads: int) -> None:
    items = zipf(100_000, 0.8, 5_000)
    summary = FastSummary(500, threads)
    for begin in range(0, len(items), 700):
        summary.add(items[begin : begin + 700], threads - 1)
    check(summary.snapshot(), exact(items), 1 / 500, most=summary.counters)


Looks = list[tuple[list[int], Any, list[int]]]
"""Each a snapshot, and how far each stream was counted before it and after."""


def looked_at(numbers: Items) -> tuple[list[Items], FastSummary, Looks]:
    """Three threads count while somebody looks, from when something is counted."""
    streams = parts(numbers, 3)
    summary = FastSummary(50, 3)
    crew = StreamCrew(summary, streams)
    seen: Looks = []
    thread = threading.Thread(target=crew.run)
    thread.start()
    while thread.is_alive() and len(seen) < 60:
        before = crew.counted
        if sum(before):
            seen.append((before, summary.snapshot(), crew.counted))
    thread.join()
    return streams, summary, seen


def test_a_look_is_right_while_threads_count() -> None:
    numbers = np.minimum(np.random.default_rng(1).zipf(1.2, 100_000 if SANITIZED else 500_000), 400).astype(np.uint64)
    inject(20, 1)
    for _ in range(8):
        streams, summary, seen = looked_at(numbers)
        if any(sum(before) < len(numbers) for before, _, _ in seen):
            break
        numbers = np.tile(numbers, 2)  # they were done before anybody came to look
    assert any(sum(before) < len(numbers) for before, _, _ in seen)

    def often(ends: list[int]) -> Any:
        taken = [each[:end] for each, end in zip(streams, ends, strict=True)]
        return np.bincount(np.concatenate(taken).astype(np.int64), minlength=401)

    for before, (items, counts, errors, floor, n, in_flight), after in seen:
        least, most = often(before), often([end + PIECE for end in after])
        assert least.sum() - in_flight <= n <= most.sum()
        assert len(set(items.tolist())) == len(items)
        listed = items.astype(np.int64)
        assert (counts - errors <= most[listed]).all()
        assert (least[listed] <= counts + in_flight).all()
        assert (np.delete(least, listed) <= floor + in_flight).all()
    check(summary.snapshot(), exact(numbers), 1 / 50, most=summary.counters)
