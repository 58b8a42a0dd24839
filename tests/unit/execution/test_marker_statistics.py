"""Throughput and latency from markers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.execution.marker_statistics import latency, throughput, throughput_at_a_rate


def test_throughput_counts_the_middle_of_the_run_only() -> None:
    index = np.arange(0, 1010, 10)  # 101 markers, 10 tuples apart
    exits = np.where(index < 200, index * 100.0, 20_000.0 + (index - 200) / 50.0)  # slow at first, then 50 tuples/s
    exits = np.where(index > 800, exits + 1e6, exits)  # and a slow end
    assert throughput(index, exits, 1000, 1e9) == pytest.approx(50.0)


@pytest.mark.parametrize("markers", [0, 1, 9])
def test_few_markers_fall_back_to_the_whole_run(markers: int) -> None:
    index = np.arange(markers)
    assert throughput(index, index * 1.0, 500, 2.0) == 250.0


def test_markers_of_few_units_fall_back_to_the_whole_run() -> None:
    index = np.arange(1000)
    exits = np.where(index < 512, 30.0, 30.000001)  # the second unit has waited for the first
    assert throughput(index, exits, 1000, 31.0) == pytest.approx(1000 / 31)
    assert throughput(index, index // 100 * 0.5, 1000, 31.0) == pytest.approx(599 / 2.5), "ten units are enough"


def test_no_time_between_the_markers_falls_back_to_the_whole_run() -> None:
    assert throughput(np.arange(50), np.full(50, 3.0), 500, 2.0) == 250.0
    assert throughput(np.arange(50), np.full(50, 3.0), 0, 0.0) == 0.0


def test_at_a_rate_a_late_start_that_is_worked_off_is_no_speed() -> None:
    index = np.arange(0, 1010, 10)
    due = (index + 1) / 1000.0  # 1000 tuples/s
    exits = np.maximum(due, 0.4 + index / 4000.0)  # from 0.4 s on, at four times the rate until all is worked off
    assert throughput(index, exits, 1000, 1.0) > 1100
    assert throughput_at_a_rate(index, due, exits, 1000, 1.0) == pytest.approx(1000)
    assert throughput_at_a_rate(index, due, due - 1e-9, 1000, 1.0) == throughput_at_a_rate(index, due, due, 1000, 1.0)


def test_at_a_rate_that_is_too_high_throughput_is_what_was_done() -> None:
    index = np.arange(0, 10_100, 10)
    due = (index + 1) / 1000.0
    assert throughput_at_a_rate(index, due, due[0] + index / 600.0, 10_000, 20.0) == pytest.approx(600)
    assert throughput_at_a_rate(index[:9], due[:9], due[:9], 500, 2.0) == 250


@given(st.lists(st.tuples(st.floats(1e-6, 1.0), st.floats(0.0, 10.0)), min_size=10, max_size=60))
def test_at_a_rate_no_more_leaves_than_arrives(markers: list[tuple[float, float]]) -> None:
    gaps, waits = np.array(markers).T
    index, due = np.arange(len(gaps)), np.cumsum(gaps)
    exits = np.maximum.accumulate(due + waits)
    offered = throughput_at_a_rate(index, due, due, len(gaps), 1.0)
    assert 0 < throughput_at_a_rate(index, due, exits, len(gaps), 1.0) <= offered


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
