"""What is simulated beside real runs has the cores as far as they were meanwhile, and is made again if they moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from streambench.lab.measure.validation import beside_profile, beside_real
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times

MACHINE = Machine(Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=4_000))


def once(monkeypatch: pytest.MonkeyPatch, trips: Iterator[float], *, right: bool = True) -> tuple[dict[str, Any], int]:
    """The record, and how often there was a comparison. Real runs have 90 and 110 a second, the simulation its line's
    way."""
    monkeypatch.setattr(beside_profile, "watch", lambda: (0, 0, 1_000))
    monkeypatch.setattr(beside_profile.core_distance, "longest", lambda *_: next(trips))
    fed = []

    def real(repeat: int) -> dict[str, Any]:
        distance = next(trips)
        host = {"disturbed": False, "core_round_trip_ns_after": distance}
        return {"rate": (90.0, 110.0)[repeat], "verified": right, "core_round_trip_ns": distance, "host": host}

    def simulate(machine: Machine, given: str) -> dict[str, Any]:
        fed.append(given)
        return {"rate": machine.times.near_line, "verified": True}

    found = beside_real.beside_real(MACHINE, 2, "rate", real, lambda: "costs", simulate)
    return found, len(fed)


def test_it_is_simulated_with_the_distance_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    found, comparisons = once(monkeypatch, iter([160.0] * 4))
    assert comparisons == 1
    assert found["rate"] == 80
    told = found["beside_real"]
    assert (told["measured"], told["apart"], told["off"]) == (100, 0.2, pytest.approx(-0.2))
    assert set(told["core_round_trip_ns"]) == {160}


def test_cores_that_moved_make_it_again_and_only_runs_alike_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found, comparisons = once(monkeypatch, iter([330.0, 60, 60, 60] * 3))
    assert comparisons == beside_real.ATTEMPTS
    assert found["beside_real"]["measured"] == 110  # the first run was on other cores
    assert found["rate"] == 30
    _, comparisons = once(monkeypatch, iter([330.0, 60, 60, 60, *[60.0] * 4]))
    assert comparisons == 2


def test_of_cores_that_moved_each_time_the_comparison_with_most_runs_alike_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    none = [60.0, 330, 60, 60]  # of its profile run's looks one was on other cores
    for place in range(3):
        attempts = [none] * 3
        attempts[place] = [330.0, 60, 60, 60]
        found, comparisons = once(monkeypatch, iter([trip for each in attempts for trip in each]))
        assert comparisons == 3
        assert found["beside_real"]["measured"] == 110
        assert found["rate"] == 30


def test_a_real_run_that_was_wrong_compares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = once(monkeypatch, iter([160.0] * 4), right=False)
    assert found["beside_real"] is None
