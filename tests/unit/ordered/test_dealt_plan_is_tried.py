"""When the controller tries what can be dealt: first where one row becomes many, else after the other plans."""

from __future__ import annotations

import pytest
from controller_simulator import Simulated, operators

from streambench.pyx.operator import PartitionedStateful, Stateful

DEALT = ([1, 4], [1, 2, 3])  # heads, sharded heads: a stateful operator behind two keyed ones, all by partition
FEW, MANY = 15.0, 16.0  # rows that the first operator makes of one


def of_one(made: float, *, dealt: float = 110.0, cut: float = 110.0, whole: float = 212.0) -> Simulated:
    """A stream whose first operator makes so many rows of one; ns per tuple of its plans."""

    def time(heads: list[int], sharded: list[int]) -> float:
        return whole if not heads else dealt if (heads, sharded) == DEALT else cut

    return Simulated(
        operators(PartitionedStateful, PartitionedStateful, Stateful),
        [2.0, 60.0, 60.0, 60.0, 5.0],
        time,
        rows=[1.0, 1.0, made, made, 1.0],
        how={"dealt": [(1, 4)]},
    )


def tried(run: Simulated) -> list[tuple[list[int], list[int]]]:
    """The plans with segments in the order in which they came."""
    found: list[tuple[list[int], list[int]]] = []
    for _ in range(3000):
        run.run(1e-4)
        if run.plan[0] and run.plan not in found:
            found.append(run.plan)
    return found


@pytest.mark.parametrize(("made", "first"), [(1.0, False), (FEW, False), (MANY, True), (40.0, True)])
def test_what_is_dealt_is_tried_first_only_where_a_row_becomes_many(made: float, first: bool) -> None:
    plans = tried(of_one(made, dealt=205.0, cut=205.0))
    assert len(plans) > 1, "with one plan there is no order"
    assert (plans[0] == DEALT) == first


@pytest.mark.parametrize("made", [FEW, MANY])
def test_what_is_dealt_stays_where_it_is_the_best(made: float) -> None:
    run = of_one(made, dealt=110.0, cut=160.0)
    run.run(1)
    assert run.plan == DEALT
    run.run(5)
    assert sum(spent for (_, sharded), spent in run.spent.items() if sharded == (1, 2, 3)) > 0.9 * 5e6


@pytest.mark.parametrize("made", [FEW, MANY])
def test_what_is_dealt_costs_nearly_nothing_where_it_loses(made: float) -> None:
    """A bad first trial must not keep the plan that is good from its own for long."""
    run = of_one(made, dealt=600.0, cut=110.0)
    run.run(6)
    assert run.plan != DEALT
    assert sum(spent for (heads, sharded), spent in run.spent.items() if heads and sharded != (1, 2, 3)) > 0.9 * 6e6
