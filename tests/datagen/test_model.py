"""The sizes and the constants, against the figures that the specification gives."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from streambench.datagen import baskets, model
from streambench.datagen.checking import expectation
from streambench.datagen.errors import DatagenError


@pytest.mark.parametrize(("scale", "linear"), [(1, 1), (10, 12.31), (100, 161.4), (1000, 1832.7)])
def test_facts_scale_as_the_original_does(scale: float, linear: float) -> None:
    assert model.sizes(scale).tickets == pytest.approx(90_000 * linear, rel=5e-4)
    assert model.sizes(scale).orders == model.sizes(scale).tickets


def test_scale_one_has_the_size_that_is_promised() -> None:
    sizes = model.sizes(1.0)
    assert (sizes.items, sizes.customers, sizes.stores, sizes.pages) == (18_000, 100_000, 12, 60)
    assert sizes.expected_clicks == pytest.approx(6.8e6, rel=0.02)
    assert model.Options().expected_sales == pytest.approx(670e3, rel=0.02)


def test_heavy_tickets_are_as_long_as_a_real_shops() -> None:
    tail = baskets.tail()
    assert float(tail.shares.sum()) == pytest.approx(1)
    assert (tail.quantile(0.5), tail.quantile(0.99), len(tail.shares) - 1) == (10, 199, 1110)
    assert (tail.mean, tail.pairs_a_line) == (pytest.approx(23.1, abs=0.1), pytest.approx(51.5, abs=0.1))
    assert model.Options(profile="heavy").expected_sales == pytest.approx(90_000 * 23.1, rel=0.01)


def test_the_shares_of_heavy_tickets_are_those_that_are_drawn() -> None:
    z = np.random.default_rng(1).random((200_000, 12)).sum(axis=1) - 6
    lines = np.clip(np.floor(baskets.MEDIAN * np.exp(baskets.SIGMA * z)), 1, baskets.MOST)
    for most in (1, 2, 10, 50, 199, 600):
        assert float((lines <= most).mean()) == pytest.approx(baskets.tail().at_most(most), abs=0.005)


@pytest.mark.parametrize("scale", [0.001, 0.01, 0.3])
def test_below_one_facts_are_linear_and_dimensions_keep_their_floors(scale: float) -> None:
    sizes = model.sizes(scale)
    assert sizes.tickets == round(90_000 * scale)
    assert sizes.items >= 10_004
    assert sizes.customers == round(100_000 * scale**0.5)
    assert (sizes.stores, sizes.pages) == (12, 60)
    assert (sizes.item_sd, sizes.customer_sd) == (60, 400)


@pytest.mark.parametrize("scale", [0.001, 1, 7.5, 100])
def test_the_permutation_of_the_items_is_one(scale: float) -> None:
    items = model.sizes(scale).items
    a, b = model.item_permutation(items)
    assert len({(a * place + b) % items for place in range(items)}) == items


def test_event_time_rises_within_the_day_and_fills_it() -> None:
    times = [model.daytime(step / 10_000) for step in range(10_001)]
    assert (times[0], times[-1]) == (0, 1)
    assert all(before < after for before, after in itertools.pairwise(times))


def test_the_busiest_hour_has_a_few_times_the_quietest() -> None:
    assert 0.6 < expectation.daylight_share() < 0.7


@pytest.mark.parametrize("scale", [0.001, 1, 10])
def test_expected_shares_are_those_of_the_mixture(scale: float) -> None:
    sizes = model.sizes(scale)
    hot, popular = expectation.item_shares(sizes)
    assert 0.05 < hot < 0.06
    assert popular == pytest.approx(0.4 * 0.9545 + 0.55 * 4 * sizes.item_sd / sizes.items, abs=0.003)
    assert 0.47 < expectation.popular_customer_share(sizes) < 0.75


@pytest.mark.parametrize(
    "option",
    [
        {"scale_factor": 0},
        {"scale_factor": 0.0009},
        {"scale_factor": -1},
        {"scale_factor": float("nan")},
        {"scale_factor": float("inf")},
        {"scale_factor": 1e9},
        {"scale_factor": "1"},
        {"scale_factor": True},
        {"days": 0},
        {"days": 1.5},
        {"days": 80_000},
        {"seed": -1},
        {"seed": 2**63},
        {"profile": "sessions"},
        {"partitions": 0},
        {"partitions": 100_000},
    ],
)
def test_options_that_cannot_be_met_are_named(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(DatagenError, match=name.split("_")[0]) as refused:
        model.Options(**option)
    assert str(refused.value).count(". ") == 0
