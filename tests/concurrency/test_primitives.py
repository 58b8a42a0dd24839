"""The growing queue under real threads, with delays injected between their calls."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streambench.pyx.machine.yield_points import inject


@pytest.mark.parametrize("consumers", [1, 2, 5])
@pytest.mark.parametrize(("capacity", "ahead"), [(1, 1), (4, 4), (64, 9), (1024, 100)])
@pytest.mark.parametrize("seed", [0, 3, 8])
def test_a_growing_queue_gives_each_item_to_one_consumer_in_order_while_its_ring_is_replaced(
    probes: SimpleNamespace, consumers: int, capacity: int, ahead: int, seed: int
) -> None:
    inject(5 if seed else 0, seed)
    driver = probes.Handout(capacity, consumers, 4000, ahead, 1)
    driver.run(1 + consumers)
    popped, wrong = driver.result()
    assert sorted(item for each in popped for item in each) == list(range(1, 4001))
    assert all(each == sorted(each) for each in popped)
    assert wrong == 0
