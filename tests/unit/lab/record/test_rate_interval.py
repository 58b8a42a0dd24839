"""The interval of a searched rate holds it as often as it says, whether or not the host disturbs runs."""

from __future__ import annotations

import math
import random

import pytest

from streambench.lab.record.rate_bracket import decided, goes_on, next_rate
from streambench.lab.record.rate_interval import rate_interval

RATE, FULL = 6e5, 1e6
SEARCHES = 40


def searched(draw: random.Random, steep: float, disturbed: float, spoilt: float) -> dict[float, list[bool | None]]:
    """What the runs of a search say, where a run meets the bound half of the time at ``RATE``, and of those that are
    disturbed a share of ``spoilt`` misses it in any case."""
    tried: dict[float, bool | None] = {}
    found: dict[float, list[bool | None]] = {}
    while (rate := next_rate(tried, FULL, 0.05)) is not None:
        met: list[bool | None] = []
        while goes_on(met):
            beside = draw.random() < disturbed
            hit = draw.random() < 1 / (1 + (rate / RATE) ** steep)
            hit = hit and not (beside and draw.random() < spoilt)
            met.append(True if hit else None if beside else False)
        found[rate], tried[rate] = met, decided(met)
    return found


@pytest.mark.parametrize("steep", [8, 40])
@pytest.mark.parametrize(("disturbed", "spoilt"), [(0.0, 0.0), (0.5, 0.0), (0.5, 0.4)])
def test_an_interval_holds_the_rate_nineteen_times_in_twenty(steep: float, disturbed: float, spoilt: float) -> None:
    draw = random.Random(1)
    ends = [rate_interval(searched(draw, steep, disturbed, spoilt)) for _ in range(SEARCHES)]
    assert sum(low <= RATE <= high for low, high in ends) >= 0.9 * SEARCHES
    assert sorted(high / max(low, 1.0) for low, high in ends)[SEARCHES // 2] < 2


def test_agreement_and_more_runs_make_an_interval_narrower() -> None:
    def width(*runs: tuple[float, list[bool | None]]) -> float:
        low, high = rate_interval(dict(runs))
        return high / low

    few = width((1e5, [True] * 2), (4e5, [True] * 2), (5e5, [False] * 2))
    assert width((1e5, [True] * 2), (4e5, [True] * 7), (5e5, [False] * 7)) < few
    assert width((1e5, [True] * 2), (4e5, [True, False, True, True]), (5e5, [False] * 2)) > few


def test_a_doubtful_miss_moves_the_lower_end_only() -> None:
    low, high = rate_interval({4e5: [True, True], 5e5: [False, False]})
    doubtful = rate_interval({4e5: [True, None, True], 5e5: [False, False]})
    assert doubtful[0] < low
    assert doubtful[1] == high


def test_an_end_that_no_run_shows_is_open() -> None:
    assert rate_interval({1e5: [True, True], 4e5: [True, True]})[1] == math.inf
    low, high = rate_interval({1e5: [False, False], 2e5: [False, False]})
    assert low == 0
    assert high < 2e5
