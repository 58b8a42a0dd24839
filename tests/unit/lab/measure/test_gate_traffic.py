"""Every reader of a gate under traffic by many threads gets all tuples in the one order."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.lab.measure.joins.gate_traffic import GateTraffic, sum_of


@pytest.mark.parametrize("kind", ["ring", "skip-list"])
@pytest.mark.parametrize(("sources", "readers"), [(1, 1), (3, 2), (2, 4)])
def test_all_readers_find_the_sum_of_the_order(kind: str, sources: int, readers: int) -> None:
    random = np.random.default_rng(1)
    times = [np.sort(random.integers(0, 500, 700 + source)) for source in range(sources)]
    crew = GateTraffic(kind, times, readers, capacity=64)
    crew.run()
    assert crew.sums == [sum_of(times)] * readers


def test_a_sum_depends_on_the_order_and_on_every_tuple() -> None:
    times = [np.array([1, 4]), np.array([2, 4])]
    assert sum_of(times) == 1 * 1 + 2 * (2 + 1) + 3 * (4 + 1) + 4 * (4 + 1 + 1)
    assert sum_of(times[::-1]) != sum_of(times)
    with pytest.raises(TypeError, match="int64 array"):
        GateTraffic("ring", [np.array([1.0])])


def test_ctrl_c_ends_the_traffic() -> None:
    def interrupt(progress: int) -> None:
        raise KeyboardInterrupt

    crew = GateTraffic("skip-list", [np.arange(10_000_000)] * 4, 2)  # takes seconds
    with pytest.raises(KeyboardInterrupt):
        crew.run(interrupt)
    assert crew.sums == [0, 0]
