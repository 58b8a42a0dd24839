"""The cores' distance: measured between neighbours, and noticed when it changes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from streambench.host import core_distance
from streambench.host.core_distance import round_trips, warning
from streambench.host.limits import allowed_cpus
from streambench.pyx.machine.core_distance import round_trip_ns


def test_every_pair_of_neighbouring_cores_has_a_positive_round_trip() -> None:
    measured = round_trips()
    cores = allowed_cpus()
    assert list(measured) == [f"{a}-{b}" for a, b in pairwise(cores)][:16]
    assert all(value > 0 for value in measured.values())


def test_the_longest_is_of_the_cores_that_workers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(core_distance, "allowed_cpus", lambda: [0, 1, 2, 3])
    monkeypatch.setattr(core_distance, "core_order", lambda cpus, place: (0, 2, 1, 3) if place == "compact" else cpus)
    monkeypatch.setattr(core_distance, "round_trips", lambda cores: asked.append(cores) or {"0-2": 60.0})
    assert core_distance.longest(2) == core_distance.longest(1) == core_distance.longest(3, "none") == 60
    core_distance.longest()
    assert asked == [(0, 2), (0, 2), (0, 1, 2), None]


def test_two_threads_on_one_core_still_finish() -> None:
    core = allowed_cpus()[0]
    assert round_trip_ns(core, core, 20) > 0


def test_too_few_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10 rounds"):
        round_trip_ns(0, 0, 9)


def test_a_change_by_a_factor_of_two_is_told_and_less_is_not() -> None:
    assert warning([]) is None
    assert warning([60.0]) is None
    assert warning([60.0, 119.0]) is None
    told = warning([60.0, 350.0, 61.0])
    assert told is not None
    assert "60 to 350 ns" in told
