"""The bisection brackets the rate at which a bound is missed, and leaves open what cannot be told."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.record.rate_bracket import LEAST, MOST_RUNS, bracket, decided, goes_on, next_rate

FULL = 1e6
PRECISION = 0.05


def searched(truth: object, full_speed: float = FULL) -> dict[float, bool | None]:
    tried: dict[float, bool | None] = {}
    while (rate := next_rate(tried, full_speed, PRECISION)) is not None:
        assert rate not in tried
        assert len(tried) < 40
        tried[rate] = truth(rate)  # type: ignore[operator]
    return tried


@given(st.floats(0.002, 3.0))
def test_the_bracket_holds_the_threshold_and_is_as_narrow_as_wanted(load: float) -> None:
    threshold = load * FULL
    found = bracket(searched(lambda rate: rate <= threshold))
    assert found.met <= threshold < found.missed
    assert found.missed <= found.met * (1 + PRECISION)
    assert found.left_open == ()


@given(st.floats(0.05, 1.0), st.floats(1.1, 1.3))
def test_rates_that_cannot_be_told_are_closed_in_from_both_sides(load: float, width: float) -> None:
    low, high = load * FULL, load * width * FULL
    found = bracket(searched(lambda rate: True if rate <= low else False if rate >= high else None))
    assert found.met <= low
    assert found.missed >= high
    between = [found.met, *found.left_open, found.missed]
    assert between[1] <= found.met * (1 + PRECISION)
    assert found.missed <= between[-2] * (1 + PRECISION)


def test_where_no_rate_holds_the_search_ends_low_and_has_none() -> None:
    tried = searched(lambda rate: False)
    assert bracket(tried).met == 0
    assert LEAST * FULL <= min(tried) < 2 * LEAST * FULL


def test_a_host_that_lets_nothing_be_told_is_not_waited_for() -> None:
    assert len(searched(lambda rate: None)) == 2


def test_where_a_host_spoils_all_that_is_not_easy_the_search_closes_in_from_below() -> None:
    found = bracket(searched(lambda rate: rate <= 0.3 * FULL or None))
    assert 0.3 * FULL / (1 + PRECISION) <= found.met <= 0.3 * FULL
    assert found.missed == math.inf
    assert max(found.left_open) < FULL


def test_where_every_rate_holds_the_search_ends_high() -> None:
    found = bracket(searched(lambda rate: True))
    assert found.missed == math.inf
    assert found.met > 3 * FULL


@pytest.mark.parametrize(
    ("met", "said"),
    [
        ([True], None),
        ([True, True], True),
        ([False, False], False),
        ([True, False, None, True], None),
        ([True, False, True, True], True),
        ([False, None, True, False, False], False),
        ([None, True, True], None),  # a doubtful miss counts against "met"
        ([None, True, True, True], True),
        ([None, None, None, False], None),  # and not for "missed"
        ([None, None, None, False, False], False),
    ],
)
def test_runs_go_on_until_one_side_leads_by_two(met: list[bool | None], said: bool | None) -> None:
    assert decided(met) is said
    assert goes_on(met) is (said is None)


def test_runs_end_where_those_that_are_left_cannot_decide() -> None:
    assert not goes_on([None] * MOST_RUNS)
    assert not goes_on([True, True, None, None, None])
    assert goes_on([True, True, None, None])


@pytest.mark.parametrize("disturbed", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("meets", "wrong"), [(0.25, True), (0.75, False)])
def test_repeating_until_the_host_looks_the_other_way_gives_no_verdict(
    meets: float, wrong: bool, disturbed: float
) -> None:
    draw = random.Random(1)
    said = []
    for _ in range(1000):
        met: list[bool | None] = []
        while goes_on(met):
            met.append(True if draw.random() < meets else None if draw.random() < disturbed else False)
        said.append(decided(met))
    assert said.count(wrong) <= 1000 / 9 + 30  # three times the standard deviation
