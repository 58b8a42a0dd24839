"""Ratios, intervals, throughput and latency on values whose answers are known."""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.lab.record.statistics import (
    FEWEST_REPEATS,
    Interval,
    order_statistic,
    paired_ratio,
    summary,
)

positive = st.floats(1e-3, 1e9)


def test_the_ratio_is_the_median_of_the_pairs_not_the_ratio_of_the_medians() -> None:
    a, b = [10.0, 30.0, 100.0], [10.0, 10.0, 200.0]
    assert paired_ratio(a, b).median == 1.0
    assert np.median(a) / np.median(b) == 3.0


@given(st.lists(st.tuples(positive, positive), min_size=2, max_size=30))
def test_low_and_high_are_two_of_the_ratios_around_the_median(pairs: list[tuple[float, float]]) -> None:
    ratios = [a / b for a, b in pairs]
    found = paired_ratio([a for a, _ in pairs], [b for _, b in pairs])
    assert found.low <= found.median <= found.high
    assert {found.low, found.high} <= set(ratios)
    assert found.n == len(pairs)


def test_noise_common_to_both_of_a_pair_cancels() -> None:
    noise = np.array([1.0, 0.5, 2.0, 0.7, 1.4])
    found = paired_ratio(list(1.5 * noise), list(noise))
    assert (found.low, found.median, found.high) == pytest.approx((1.5, 1.5, 1.5))


@given(st.integers(2, 30), st.sampled_from([0.5, 0.9, 0.95, 0.96875, 0.99]), st.randoms())
def test_intervals_are_those_of_a_naive_count_over_all_cases(n: int, confidence: float, random: Random) -> None:
    values = [random.choice([1.0, 2.0, random.random()]) for _ in range(n)]  # with ties
    found = summary(values, confidence)
    low, high, coverage = naive(values, confidence)
    assert (found.low, found.high, found.n) == (low, high, n)
    assert found.coverage == (None if coverage is None else pytest.approx(float(coverage), abs=1e-12))


def naive(values: list[float], confidence: float) -> tuple[float, float, Fraction | None]:
    """The narrowest pair of ranks that covers often enough, of all pairs that leave out equally many on both sides."""
    n, ranked = len(values), sorted(values)
    cases = [Fraction(comb(n, below), 2**n) for below in range(n + 1)]  # how many values lie below the median
    for k in range(n // 2, 0, -1):
        covered = sum((cases[below] for below in range(n + 1) if k <= below <= n - k), Fraction(0))
        if covered >= Fraction(confidence):
            return ranked[k - 1], ranked[n - k], covered
    return ranked[0], ranked[-1], None


@pytest.mark.parametrize("n", range(1, 13))
def test_the_coverage_is_the_share_of_all_cases_of_values_below_and_above_the_median(n: int) -> None:
    k, coverage = order_statistic(n)
    below = [sum(case) for case in product((0, 1), repeat=n)]
    covered = sum(k <= each <= n - k for each in below)
    assert coverage == (None if n < FEWEST_REPEATS else covered / 2**n)


@pytest.mark.parametrize(
    ("n", "rank", "coverage"),
    [(5, 1, None), (6, 1, 0.96875), (7, 1, 0.984375), (9, 2, 0.9609375), (12, 3, 0.96142578125), (1, 1, None)],
)
def test_intervals_of_known_numbers_of_repeats(n: int, rank: int, coverage: float | None) -> None:
    assert order_statistic(n) == (rank, coverage)


def test_six_repeats_are_the_fewest_of_which_an_interval_is_claimed() -> None:
    assert [order_statistic(n)[1] is not None for n in range(1, 20)] == [n >= FEWEST_REPEATS for n in range(1, 20)]
    few = summary([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (few.low, few.median, few.high, few.n, few.coverage) == (1.0, 3.0, 5.0, 5, None)


def test_more_confidence_needs_a_wider_interval() -> None:
    values = list(np.random.default_rng(7).normal(10, 1, 40))
    wide, narrow = summary(values, 0.99), summary(values, 0.5)
    assert wide.low < narrow.low
    assert narrow.high < wide.high
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1, not 1"):
        summary(values, 1)


DRAWS = 600
DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, int], Any]] = {  # each with a median of 1
    "heavy tails on both sides": lambda draw, n: 1 + draw.standard_cauchy((DRAWS, n)),
    "a heavy tail": lambda draw, n: (draw.pareto(0.7, (DRAWS, n)) + 1) / 2 ** (1 / 0.7),
    "skewed": lambda draw, n: draw.exponential(1 / math.log(2), (DRAWS, n)),
    "two groups": lambda draw, n: 1 + draw.choice([-1.0, 3.0], (DRAWS, n)) * draw.random((DRAWS, n)),
}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_intervals_cover_the_true_median_as_often_as_they_say(distribution: str) -> None:
    """600 draws for each of 25 sizes: within four standard deviations of the binomial law, each and all together."""
    draw = np.random.default_rng(20_261_122)
    scores = []
    for n in range(6, 31):
        found = [summary(list(values)) for values in DISTRIBUTIONS[distribution](draw, n)]
        coverage = found[0].coverage
        assert coverage is not None
        covered = sum(each.low <= 1 <= each.high for each in found)
        scores.append((covered - DRAWS * coverage) / math.sqrt(DRAWS * coverage * (1 - coverage)))
    assert max(map(abs, scores)) < 4
    assert abs(sum(scores)) / math.sqrt(len(scores)) < 4


def test_paired_ratios_cover_the_true_ratio_as_often_as_they_say() -> None:
    draw = np.random.default_rng(20_261_122)
    for n in (6, 7, 9, 12):
        common = draw.lognormal(0, 2, (DRAWS, n))  # the noise of a repeat, in both
        above, below = common * 1.5 * draw.lognormal(0, 0.3, (DRAWS, n)), common * draw.lognormal(0, 0.3, (DRAWS, n))
        found = [paired_ratio(list(a), list(b)) for a, b in zip(above, below, strict=True)]
        coverage = found[0].coverage
        assert coverage is not None
        covered = sum(each.low <= 1.5 <= each.high for each in found)
        assert abs(covered - DRAWS * coverage) < 4 * math.sqrt(DRAWS * coverage * (1 - coverage))


def test_equal_values_have_an_interval_without_width() -> None:
    found = summary([2.0] * 9)
    assert (found.low, found.median, found.high) == (2.0, 2.0, 2.0)


def test_one_pair_has_a_ratio_but_no_interval() -> None:
    found = paired_ratio([3.0], [2.0])
    assert (found.median, found.n, found.coverage) == (1.5, 1, None)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [1.0] * 9])
def test_an_interval_is_read_back_as_it_was_written(values: list[float]) -> None:
    plain = json.loads(json.dumps(summary(values).plain(), allow_nan=False))
    assert Interval.of(plain).plain() == summary(values).plain()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1.0], [1.0, 2.0], "equally many"),
        ([], [], "at least one"),
        ([1.0], [0.0], "above 0"),
        ([math.nan], [1.0], "finite"),
        ([-1.0], [1.0], "above 0"),
    ],
)
def test_ratios_refuse_what_has_no_meaning(a: list[float], b: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_ratio(a, b)
