"""Queues and the reorder buffer under real threads, with delays injected wherever they call back."""

from __future__ import annotations

from types import SimpleNamespace

import pytest


@pytest.mark.parametrize("threads", [1, 2, 4, 16])
@pytest.mark.parametrize("size", [1, 2, 8, 64])
@pytest.mark.parametrize("jitter", [0, 2])
def test_theorem_3_1_outputs_leave_in_order_and_none_is_lost(
    probes: SimpleNamespace, threads: int, size: int, jitter: int
) -> None:
    driver = probes.Reordering(size, 4000, jitter)
    driver.run(threads)
    order, sent, overlaps = driver.result()
    assert order == list(range(4000))
    assert sent == 4000
    assert overlaps == 0


@pytest.mark.parametrize("threads", [2, 3])
def test_theorem_3_1_nothing_is_left_behind_when_no_worker_is_inside(probes: SimpleNamespace, threads: int) -> None:
    driver = probes.Stranding(10_000)
    driver.run(threads)
    assert driver.stranded == 0


@pytest.mark.parametrize(("producers", "consumers"), [(1, 1), (1, 4), (4, 1), (3, 3), (8, 8)])
@pytest.mark.parametrize("capacity", [1, 4, 1024])
def test_mpmc_loses_nothing_doubles_nothing_and_keeps_each_producers_order(
    probes: SimpleNamespace, producers: int, consumers: int, capacity: int
) -> None:
    driver = probes.Crowd(capacity, producers, consumers, 1500, 1)
    driver.run(producers + consumers)
    popped = driver.result()
    everything = sorted(item for each in popped for item in each)
    assert everything == [(producer, number) for producer in range(producers) for number in range(1500)]
    for each in popped:
        for producer in range(producers):
            mine = [number for by, number in each if by == producer]
            assert mine == sorted(mine)


@pytest.mark.parametrize("capacity", [1, 2, 64])
@pytest.mark.parametrize("jitter", [0, 1])
def test_spsc_publishes_every_item_in_order(probes: SimpleNamespace, capacity: int, jitter: int) -> None:
    driver = probes.Pair(capacity, 10_000, jitter)
    driver.run(2)
    assert driver.wrong == 0
