"""Ratios, intervals, throughput and latency on values whose answers are known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.statistics import latency, paired_ratio, summary, throughput

positive = st.floats(1e-3, 1e9)


def test_the_ratio_is_the_median_of_the_pairs_not_the_ratio_of_the_medians() -> None:
    a, b = [10.0, 30.0, 100.0], [10.0, 10.0, 200.0]
    assert paired_ratio(a, b).median == 1.0
    assert np.median(a) / np.median(b) == 3.0


@given(st.lists(st.tuples(positive, positive), min_size=2, max_size=9))
def test_the_interval_holds_the_median_and_lies_within_the_ratios(pairs: list[tuple[float, float]]) -> None:
    ratios = [a / b for a, b in pairs]
    found = paired_ratio([a for a, _ in pairs], [b for _, b in pairs])
    assert min(ratios) <= found.low <= found.median <= found.high <= max(ratios)
    assert found.n == len(pairs)


def test_noise_common_to_both_of_a_pair_cancels() -> None:
    noise = np.array([1.0, 0.5, 2.0, 0.7, 1.4])
    found = paired_ratio(list(1.5 * noise), list(noise))
    assert (found.low, found.median, found.high) == pytest.approx((1.5, 1.5, 1.5))


def test_the_same_values_give_the_same_interval() -> None:
    values = [1.0, 1.3, 0.9, 1.1, 1.2]
    assert summary(values) == summary(values)


def test_more_confidence_needs_a_wider_interval() -> None:
    values = list(np.random.default_rng(7).normal(10, 1, 40))
    wide, narrow = summary(values, 0.99), summary(values, 0.5)
    assert wide.low < narrow.low
    assert narrow.high < wide.high


def test_the_interval_covers_the_true_median_about_as_often_as_it_says() -> None:
    draws = np.random.default_rng(3).lognormal(0, 0.2, (200, 15))  # its true median is 1
    covered = sum(found.low <= 1 <= found.high for found in map(summary, draws))
    assert 0.88 <= covered / 200 <= 0.99


def test_one_pair_has_a_ratio_but_no_interval() -> None:
    found = paired_ratio([3.0], [2.0])
    assert found.median == 1.5
    assert math.isnan(found.low)
    assert math.isnan(found.high)


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


def test_throughput_counts_the_middle_of_the_run_only() -> None:
    index = np.arange(0, 1010, 10)  # 101 markers, 10 tuples apart
    exits = np.where(index < 200, index * 100.0, 20_000.0 + (index - 200) / 50.0)  # slow at first, then 50 tuples/s
    exits = np.where(index > 800, exits + 1e6, exits)  # and a slow end
    assert throughput(index, exits, 1000, 1e9) == pytest.approx(50.0)


@pytest.mark.parametrize("markers", [0, 1, 9])
def test_few_markers_fall_back_to_the_whole_run(markers: int) -> None:
    index = np.arange(markers)
    assert throughput(index, index * 1.0, 500, 2.0) == 250.0


def test_no_time_between_the_markers_falls_back_to_the_whole_run() -> None:
    assert throughput(np.arange(50), np.full(50, 3.0), 500, 2.0) == 250.0
    assert throughput(np.arange(50), np.full(50, 3.0), 0, 0.0) == 0.0


def test_latency_is_over_the_same_markers_as_throughput() -> None:
    entries = np.arange(101.0)
    waits = np.full(101, 0.5)
    waits[:20], waits[81:] = 99.0, 99.0
    assert latency(entries, entries + waits) == dict.fromkeys(("p50", "p90", "p99", "p999", "max", "mean"), 0.5)


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=200))
def test_latency_quantiles_ascend_and_were_really_had(waits: list[float]) -> None:
    found = latency(np.zeros(len(waits)), np.array(waits))
    quantiles = [found[name] for name in ("p50", "p90", "p99", "p999", "max")]
    assert quantiles == sorted(quantiles)
    assert set(quantiles) <= set(waits)


def test_latency_without_markers_is_not_a_number() -> None:
    assert all(math.isnan(value) for value in latency(np.array([]), np.array([])).values())


def test_markers_that_do_not_pair_up_are_refused() -> None:
    with pytest.raises(ValueError, match="pairs"):
        latency(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="pairs"):
        throughput(np.zeros(3), np.zeros(2), 1, 1.0)
