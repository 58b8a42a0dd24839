"""A lone worker takes at once what lets it keep up, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambench.pyx.ordered.sizing import lone_unit

NS = st.floats(0.1, 1e5)
UNIT_COST = 75.0


@given(interval=NS, cost=NS, unit=st.integers(1, 1 << 16))
def test_half_of_the_time_that_tuples_leave_is_what_units_take(interval: float, cost: float, unit: int) -> None:
    found = lone_unit(interval, cost, unit)
    assert 1 <= found <= unit

    def spent(tuples: int) -> float:
        return tuples * cost + UNIT_COST

    if found < unit:
        assert spent(found) < found * (interval + cost) / 2
    if found > 1 and interval > cost:
        assert spent(found - 1) >= (found - 1) * (interval + cost) / 2 * (1 - 1e-9)


def test_without_a_rate_and_without_time_to_spare_a_unit_is_as_large_as_it_may_be() -> None:
    assert lone_unit(0.0, 100.0, 500) == 500
    assert lone_unit(90.0, 100.0, 500) == 500


@pytest.mark.parametrize(("load", "tuples"), [(0.2, 1), (0.5, 2), (0.8, 7), (0.9, 14)])
def test_at_a_part_of_its_rate_a_loop_of_100_ns_takes_few(load: float, tuples: int) -> None:
    assert lone_unit(100.0 / load, 100.0, 500) == tuples
