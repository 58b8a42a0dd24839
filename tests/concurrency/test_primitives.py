"""The queues under real threads, with delays injected between their calls."""

from __future__ import annotations

from types import SimpleNamespace

import pytest


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
