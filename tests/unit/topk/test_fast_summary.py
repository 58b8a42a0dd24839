"""The design "fast" is Space-Saving, whatever the items, the processor and how they come."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_streams import STREAMS, check, exact, scattered, zipf

from streambench.pyx.topk.fast_summary import FastSummary

EDGES = [0, 1, 2, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]


def in_pieces(summary: Any, items: Any, size: int) -> None:
    for begin in range(0, len(items), size):
        summary.add(items[begin : begin + size])


@pytest.mark.parametrize("name", STREAMS)
def test_any_stream_is_answered_within_the_bounds_and_alike_by_all_instructions(
    probes: SimpleNamespace, name: str
) -> None:
    items = STREAMS[name](60_000)
    answers = []
    for level in probes.LEVELS:
        summary = FastSummary(100, simd=level)
        in_pieces(summary, items, 7_000)
        answers.append(summary.snapshot())
        check(answers[-1], exact(items), 0.01, most=100)
        assert answers[-1][1].sum() == len(items)
    if name in ("round robin", "uniform"):  # nothing is hot, so nothing was counted out of turn
        for answer in answers:
            assert [each.tolist() for each in answer[:3]] == [each.tolist() for each in answers[0][:3]]


@given(
    st.lists(st.lists(st.sampled_from(EDGES) | st.integers(3, 12), max_size=40), max_size=4),
    st.integers(1, 9),
    st.integers(0, 2),
)
def test_small_alphabets_are_counted_within_the_bounds_and_the_counts_sum_to_n(
    pieces: list[list[int]], counters: int, level: int
) -> None:
    summary = FastSummary(counters, simd=level)
    arrays = [np.array(each, dtype=np.uint64) for each in pieces]
    for each in arrays:
        summary.add(each)
    true = exact(*arrays) if arrays else {}
    found = summary.snapshot()
    check(found, true, 1 / counters, most=counters)
    assert found[1].sum() == found[4]
    if len(true) <= counters:
        assert dict(zip(found[0].tolist(), found[1].tolist(), strict=True)) == true
        assert found[3] == 0


def test_items_that_share_a_bucket_are_counted_as_well_as_others(probes: SimpleNamespace) -> None:
    table = probes.TableAlone(120)
    items = scattered(np.arange(12_000))
    shared = items[table.buckets(items) == 3][:500]
    stream = shared[np.random.default_rng(2).integers(0, len(shared), 20_000) ** 2 // len(shared)]
    stashed = 0
    for begin in range(0, len(stream), 1000):
        table.add(stream[begin : begin + 1000])
        stashed = max(stashed, table.stashed)
        check(table.snapshot(), exact(stream[: begin + 1000]), 1 / 120, most=120)
    assert len(shared) == 500
    assert stashed == 120 - 16  # a bucket has 16 cells
    table.add(np.delete(items, np.flatnonzero(table.buckets(items) == 3)))
    assert table.stashed < 20  # who was evicted left the stash


@pytest.mark.parametrize("stashed", [1, 2, 5])
def test_an_item_that_found_its_bucket_full_is_found_again(probes: SimpleNamespace, stashed: int) -> None:
    table = probes.TableAlone(120)
    items = scattered(np.arange(12_000))
    items = items[table.buckets(items) == 3][: 16 + stashed]
    for _ in range(3):
        table.add(items)
        for each in items.tolist():
            table.add_often(each, 2)
    assert table.stashed == stashed
    found = table.snapshot()
    assert sorted(found[0].tolist()) == sorted(items.tolist())
    assert set(found[1].tolist()) == {9}
    assert found[3] == 0


def test_an_item_counted_often_at_once_is_as_one_counted_one_by_one(probes: SimpleNamespace) -> None:
    random = np.random.default_rng(3)
    table, true = probes.TableAlone(50), dict.fromkeys(range(200), 0)
    for item, times in zip(
        random.integers(0, 200, 3000).tolist(), random.integers(1, 1000, 3000).tolist(), strict=True
    ):
        table.add_often(item, times)
        true[item] += times
    check(table.snapshot(), true, 1 / 50, most=50)


def test_the_least_counts_are_found_by_all_instructions(probes: SimpleNamespace) -> None:
    random = np.random.default_rng(4)
    for size in (8, 64, 1000):
        counts = random.integers(2**62, 2**62 + 9, size)
        counts[random.random(size) < 0.1] = 2**63 - 1
        for guess in (counts.min(), counts.min() + 1, 0):
            naive = counts.min(), np.flatnonzero(counts == guess).tolist()
            assert all(probes.scanned(counts, guess, level) == naive for level in probes.LEVELS)


def test_hot_items_are_parted_from_the_others_by_all_instructions(probes: SimpleNamespace) -> None:
    random = np.random.default_rng(5)
    hot = np.array([0, 2**64 - 1, 2**63, 5, 1 << 32, 7, 8, 9], dtype=np.uint64)
    for size in (1, 7, 8, 9, 500):
        items = np.where(
            random.random(size) < 0.5, random.choice(hot, size), random.integers(0, 1000, size).astype(np.uint64)
        )
        naive = [int((items == each).sum()) for each in hot], items[~np.isin(items, hot)].tolist()
        assert all(probes.parted(items, hot, level) == naive for level in probes.LEVELS)


def test_hot_items_that_change_are_learned_again() -> None:
    streams = [zipf(700_000, 2.0, 1000) ^ np.uint64(change) for change in (0, 12345)]
    summary = FastSummary(100)
    for each in streams:
        in_pieces(summary, each, 1000)
    check(summary.snapshot(), exact(*streams), 0.01, most=100)


def test_memory_stays_what_it_was(probes: SimpleNamespace) -> None:
    summary = FastSummary(200)
    held = summary.nbytes
    in_pieces(summary, zipf(300_000, 0.5, 50_000), 1000)
    assert summary.nbytes == held
    assert FastSummary(200_000).nbytes < 100 * 200_000


def test_more_counters_than_can_be_numbered_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 268435456 counters, not 268435457"):
        FastSummary((1 << 28) + 1)
