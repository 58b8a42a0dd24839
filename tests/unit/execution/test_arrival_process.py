"""Arrivals have the rate that was asked for, are the same by seed, and no engine lets a tuple in before it is due."""

from __future__ import annotations

import numpy as np
import pytest

from streambench.errors import OptionError
from streambench.execution.arrival_process import PERIOD, due_seconds, period, schedule, step_seconds
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TUPLES = 1 << 14
SLACK = 1e-3  # s, between two clocks; silences are many times as long


@pytest.mark.parametrize("rate", [0.5, 1e5, 5e6])
@pytest.mark.parametrize("arrivals", ["poisson", "bursts"])
def test_a_period_has_the_rate_and_comes_again(arrivals: str, rate: float) -> None:
    found = schedule(arrivals, rate, 1, TUPLES)
    assert found is not None
    due, period = found
    assert len(due) == TUPLES
    assert period == round(TUPLES / rate * 1e9)
    assert due[0] >= 0
    assert due[-1] < period
    assert (np.diff(due) >= 0).all()
    again = due_seconds(np.arange(2 * TUPLES), arrivals, rate, 1, TUPLES)
    np.testing.assert_allclose(again[TUPLES:] - again[:TUPLES], period * 1e-9)


def test_steps_are_nine_times_the_rate_for_a_third_of_the_time_at_equal_intervals() -> None:
    due = due_seconds(np.arange(11_000), "steps", 11_000.0, 1, 11_000)
    counts, _ = np.histogram(due, bins=3, range=(0.0, 1.0))
    assert counts.tolist() == [1_000, 9_000, 1_000]
    within = np.diff(due[1_001:9_999])
    np.testing.assert_allclose(within, within[0], atol=2e-9)
    assert step_seconds(11_000.0, 11_000) == pytest.approx((1 / 3, 2 / 3))


@pytest.mark.parametrize(("tuples", "tuples_of_a_period"), [(None, PERIOD), (PERIOD + 1, PERIOD), (70, 70)])
def test_steps_are_those_of_the_whole_stream_if_it_is_not_too_long(tuples: int | None, tuples_of_a_period: int) -> None:
    assert period("steps", tuples) == tuples_of_a_period
    assert period("poisson", tuples) == PERIOD


def test_the_seed_alone_says_when_tuples_come() -> None:
    first, same, other = (schedule("bursts", 1e5, seed, TUPLES) for seed in (1, 1, 2))
    assert first is not None
    assert same is not None
    assert other is not None
    np.testing.assert_array_equal(first[0], same[0])
    assert (first[0] != other[0]).any()


def test_poisson_counts_have_the_variance_of_their_mean_and_bursts_a_larger_one() -> None:
    spread = {}
    for arrivals in ("constant", "poisson", "bursts"):
        due = due_seconds(np.arange(1 << 17), arrivals, 1e5, 3, 1 << 17)
        counts, _ = np.histogram(due, bins=1000)
        spread[arrivals] = counts.var() / counts.mean()
    assert spread["constant"] < 0.1
    assert 0.8 < spread["poisson"] < 1.25
    assert spread["bursts"] > 10


@pytest.mark.parametrize("engine", ["serial", "ordered", "schemes"])
def test_no_tuple_leaves_before_it_is_due_and_all_leave_in_order(engine: str) -> None:
    numbers = np.arange(20_000)
    pipeline = Pipeline([TableSource((numbers,), ("key",)), TableSink(True)])
    options = Options(engine=engine, workers=1, preload=True, rate=1e6, arrivals="bursts", arrival_seed=5)
    found = execute(pipeline, options)
    index, _, left = found.markers
    due = due_seconds(index, "bursts", 1e6, 5)
    assert (left >= due - SLACK).all()
    assert found.latency_end_to_end is not None
    assert found.latency_end_to_end["p50"] >= 0
    np.testing.assert_array_equal(pipeline.sink.rows()[0], numbers)


def test_arrivals_without_a_rate_are_refused() -> None:
    with pytest.raises(OptionError, match="arrivals poisson come at a rate: name one with rate"):
        Options(arrivals="poisson")
