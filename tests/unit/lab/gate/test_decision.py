"""The interval for all looks: a fair bet, few false alarms however often one looks, and power where it is needed."""

from __future__ import annotations

import math
import random
from itertools import accumulate

import pytest

from streambench.lab.gate.decision import Verdict, interval, judged, rank, resolution, stake
from streambench.lab.record.statistics import order_statistic

ALPHA = 0.05
LIMIT = 1 / 0.95


def naive_stake(n: int, above: int, coins: int = 20_000) -> float:
    """Every coin between fair and certain gets its part of the bet."""
    chances = [0.5 + (place + 0.5) / (2 * coins) for place in range(coins)]
    return 2**n * sum(p**above * (1 - p) ** (n - above) for p in chances) / coins


@pytest.mark.parametrize(("n", "above"), [(1, 0), (1, 1), (7, 5), (20, 20), (20, 3)])
def test_the_stake_is_the_even_mixture_of_bets(n: int, above: int) -> None:
    assert float(stake(n, above)) == pytest.approx(naive_stake(n, above), rel=1e-6)


def test_a_fair_coin_leaves_the_stake_as_it_was_on_average() -> None:
    for n in range(40):
        for above in range(n + 1):
            after = (stake(n + 1, above) + stake(n + 1, above + 1)) / 2
            assert after == stake(n, above)


def test_the_interval_for_all_looks_is_never_narrower_than_that_of_one_look() -> None:
    for n in range(1, 120):
        once, coverage = order_statistic(n, 1 - ALPHA)
        assert rank(n, ALPHA) <= (once if coverage is not None else 0)


def chance_to_miss(alpha: float, most: int) -> float:
    """That at any look at up to ``most`` values the interval leaves out their true median: every course of coins."""
    outside, inside = 0.0, {0: 1.0}  # by how many values lie above the median
    for n in range(1, most + 1):
        courses = [(above + more, chance / 2) for above, chance in inside.items() for more in (0, 1)]
        inside = dict.fromkeys(range(n + 1), 0.0)
        for above, chance in courses:
            if min(above, n - above) < rank(n, alpha):
                outside += chance
            else:
                inside[above] += chance
    return outside


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_both_ends_together_miss_the_median_no_oftener_than_alpha(alpha: float) -> None:
    assert 0.3 * alpha < chance_to_miss(alpha, 200) <= alpha


def noisy(seed: int, middle: float, noise: float, n: int) -> list[float]:
    """Ratios around ``middle`` with bursts: every fifth is off by ten times as much."""
    draw = random.Random(seed)
    return [middle * math.exp(draw.gauss(0, noise * (10 if draw.random() < 0.2 else 1))) for _ in range(n)]


def first_verdict(ratios: list[float], alpha: float = ALPHA) -> Verdict:
    """Looked at after every pair, until there is one."""
    looks = accumulate(([each] for each in ratios), lambda before, each: before + each)
    found = (judged(interval(each, alpha), LIMIT) for each in looks)
    return next((each for each in found if each is not Verdict.OPEN), Verdict.OPEN)


def test_a_program_at_its_very_limit_is_seldom_called_regressed_however_often_one_looks() -> None:
    alarms = sum(first_verdict(noisy(seed, LIMIT, 0.03, 60)) is Verdict.REGRESSED for seed in range(200))
    assert alarms <= 200 * ALPHA / 2 + 4  # three standard deviations


def test_looks_with_an_interval_for_one_look_would_alarm_too_often() -> None:
    """What the other test would see if the looks were not paid for."""

    def alarmed(ratios: list[float]) -> bool:
        for n in range(6, len(ratios) + 1):
            k, coverage = order_statistic(n, 1 - ALPHA)
            if coverage is not None and sorted(ratios[:n])[k - 1] > LIMIT:
                return True
        return False

    assert sum(alarmed(noisy(seed, LIMIT, 0.03, 60)) for seed in range(200)) > 200 * ALPHA / 2 + 4


def test_the_same_program_never_regresses_on_a_noisy_machine() -> None:
    verdicts = [first_verdict(noisy(seed, 1.0, 0.04, 40)) for seed in range(200)]
    assert Verdict.REGRESSED not in verdicts
    assert verdicts.count(Verdict.PASS) > 100


def test_a_loss_of_a_tenth_is_found() -> None:
    verdicts = [first_verdict(noisy(seed, 1 / 0.9, 0.04, 60), ALPHA / 10) for seed in range(100)]
    assert Verdict.PASS not in verdicts
    assert verdicts.count(Verdict.REGRESSED) > 80


def test_too_few_pairs_claim_nothing() -> None:
    found = interval([2.0, 2.1, 2.2], ALPHA)
    assert found.coverage is None
    assert judged(found, LIMIT) is Verdict.OPEN
    assert resolution([1.0, 1.1], 3, ALPHA) == math.inf


def test_what_can_be_told_is_coarser_the_noisier_the_machine_and_the_fewer_the_pairs() -> None:
    quiet, loud = ([math.exp(scale * each) for each in (-3, -2, -1, 1, 2, 3)] for scale in (0.01, 0.1))
    assert 1 < resolution(quiet, 20, ALPHA) < resolution(loud, 20, ALPHA)
    assert resolution(loud, 200, ALPHA) <= resolution(loud, 20, ALPHA)
