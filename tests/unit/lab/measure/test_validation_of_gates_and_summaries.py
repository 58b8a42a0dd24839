"""Gates and heavy hitters are compared with real runs of the same, which are checked."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest

from streambench.lab.measure.heavy_hitters import simulation
from streambench.lab.measure.joins import simulated_gates
from streambench.lab.measure.joins.gates import GatePoint
from streambench.lab.measure.validation import beside_profile
from streambench.lab.measure.validation.cases import GateCase, SummaryCase
from streambench.lab.measure.validation.gates import compare_gate
from streambench.lab.measure.validation.heavy_hitters import compare_summary
from streambench.lab.measure.validation.measure import compared
from streambench.lab.record.validation_summary import rows
from streambench.lab.simulate.times import Times

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=4_000)
ROUND_TRIP = 240.0


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is counted, nothing is watched, and cores stay where they are."""
    monkeypatch.setattr(beside_profile, "watch", lambda: (3, 3_000_000, 4_000_000))
    monkeypatch.setattr(beside_profile.core_distance, "longest", lambda *_: ROUND_TRIP)
    for name in ("ITEMS", "BEFORE", "ITEMS_OF_REAL"):
        monkeypatch.setattr(simulation, name, 2_000)
    monkeypatch.setattr(simulated_gates, "TUPLES", 3_000)
    monkeypatch.setattr(simulated_gates, "LEAST", 200)


def assert_of_both(row: dict[str, Any], run: dict[str, Any]) -> None:
    """The error is what the simulation says over what both real runs say, which are not the simulation's."""
    real = run["measured_throughput"]
    assert row["throughput"] == pytest.approx(fmean(real))
    assert row["throughput_error"] == pytest.approx((run["simulated_throughput"] - fmean(real)) / fmean(real))
    assert run["simulated_throughput"] > 0
    assert len({*real, run["simulated_throughput"]}) == 3, "each was run by itself"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_summary_is_compared_with_checked_runs_of_the_same_streams(threads: int) -> None:
    run = compared(*compare_summary(SummaryCase("locked", 1.5, threads), TIMES, 0.01))
    assert run["sequence_ok"]
    assert len(run["measured_throughput"]) == 2
    assert run["times_ns"]["interrupted_every"] == 0  # what is simulated is shorter than from one to the next
    assert bool(run["core_round_trip_ns"]) == (threads > 1)
    (row,) = rows([run])
    assert (row["query"], row["alpha"], row["latency"]) == ("locked", 1.5, None)
    assert_of_both(row, run)


def test_a_gate_is_compared_with_checked_runs() -> None:
    run = compared(*compare_gate(GateCase(GatePoint("ring", 1, 1)), TIMES, 0.01))
    assert run["sequence_ok"]
    (row,) = rows([run])
    assert_of_both(row, run)
    assert run["times_ns"]["near_line"] == ROUND_TRIP / 2  # of the cores beside the real runs, not of those before
    assert (row["query"], row["engine"], row["workers"]) == ("gate ring", "gates", 2)


def test_a_wrong_answer_has_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "wrong_answer", lambda *args: "an item is missing")
    run = compared(*compare_summary(SummaryCase("locked", 1.5, 1), TIMES, 0.01))
    assert (run["sequence_ok"], run["measured_throughput"]) == (False, None)
