"""The queues under real threads, with delays injected between their calls."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streambench.pyx.yield_points import inject


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


@pytest.mark.parametrize("consumers", [1, 2, 5])
@pytest.mark.parametrize(("capacity", "ahead"), [(1, 1), (4, 4), (64, 9), (1024, 100)])
@pytest.mark.parametrize("seed", [0, 3, 8])
def test_a_growing_queue_gives_each_item_to_one_consumer_in_order_while_its_ring_is_replaced(
    probes: SimpleNamespace, consumers: int, capacity: int, ahead: int, seed: int
) -> None:
    inject(5 if seed else 0, seed)
    try:
        driver = probes.Handout(capacity, consumers, 4000, ahead, 1)
        driver.run(1 + consumers)
    finally:
        inject(0)
    popped, wrong = driver.result()
    assert sorted(item for each in popped for item in each) == list(range(1, 4001))
    assert all(each == sorted(each) for each in popped)
    assert wrong == 0
