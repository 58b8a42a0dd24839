"""At a rate: what has arrived waits where it would be too little for the credit that is left."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest


def arrivals(probes: SimpleNamespace, credit: int, unit: int = 4096) -> Any:
    return probes.Arrivals(probes.Counting(), unit, credit)


def admitted(arriving: Any) -> list[int]:
    """The units that are admitted until there is no credit, when each is as soon as may be: their tuples."""
    found = []
    while arriving.has_credit:
        arriving.arrive(1)
        if not arriving.is_too_little:
            found.append(arriving.admit())
    return found


def test_behind_a_unit_that_is_held_up_16_units_hold_240_tuples_at_least(probes: SimpleNamespace) -> None:
    assert admitted(arrivals(probes, 16)) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 15, 30, 60, 120]


@pytest.mark.parametrize("credit", [4, 16, 64])
def test_the_last_quarter_of_the_credit_goes_to_units_as_large_as_all_before(
    probes: SimpleNamespace, credit: int
) -> None:
    found = admitted(arrivals(probes, credit))
    assert len(found) == credit
    for k in range(1, credit):
        before = sum(found[:k])
        assert found[k] == min(4096, max(1, -(-2 * before // credit)) if 4 * k < 3 * credit else before)


def test_as_units_leave_fewer_tuples_will_do(probes: SimpleNamespace) -> None:
    arriving = arrivals(probes, 16)
    admitted(arriving)
    for _ in range(15):
        arriving.deliver()
    arriving.arrive(14)
    assert arriving.is_too_little  # of 120 that are under way
    arriving.arrive(1)
    assert not arriving.is_too_little
    arriving.deliver()
    arriving.admit()
    arriving.deliver()
    arriving.arrive(1)
    assert not arriving.is_too_little


def test_a_whole_unit_never_waits(probes: SimpleNamespace) -> None:
    arriving = arrivals(probes, 16, unit=20)
    admitted(arriving)
    arriving.deliver()
    arriving.arrive(19)
    assert arriving.is_too_little
    arriving.arrive(1)
    assert not arriving.is_too_little


@pytest.mark.parametrize("under_way", [1, 2, 5, 16])
def test_no_more_units_have_memory_than_have_been_under_way(probes: SimpleNamespace, under_way: int) -> None:
    """Slots of the ring come in turn, but memory that nobody has touched yet costs more than a unit's tuples."""
    arriving, places = arrivals(probes, 16, unit=1), set()
    for serial in range(100):
        arriving.arrive(1)
        arriving.admit()
        places.add(arriving.write(serial, 1000))
        if serial >= under_way - 1:
            arriving.deliver()
    assert len(places) == under_way


@pytest.mark.parametrize("seed", range(20))
def test_units_under_way_never_share_memory(probes: SimpleNamespace, seed: int) -> None:
    arriving, draw, serial = arrivals(probes, 8, unit=1), Random(seed), 0
    under_way: list[int] = []
    for _ in range(300):
        if draw.random() < 0.5 and arriving.has_credit:
            arriving.arrive(1)
            arriving.admit()
            under_way.append(arriving.write(serial, draw.choice([1, 100, 5000])))
            serial += 1
            assert len(set(under_way)) == len(under_way)
        elif under_way:
            arriving.deliver()
            under_way.pop(0)
    assert serial > 50
