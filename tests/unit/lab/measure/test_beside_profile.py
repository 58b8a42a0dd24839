"""Real runs count that had the cores where the profile run had them: a host that moves them makes another machine."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from streambench.errors import StreambenchError
from streambench.lab.measure.validation import beside_profile
from streambench.lab.measure.validation.beside_profile import Beside
from streambench.lab.simulate.times import Times

KNOWN = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=4_000)


def real(before: float | None, after: float | None) -> dict[str, Any]:
    return {"core_round_trip_ns": before, "host": {"core_round_trip_ns_after": after}}


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Its profile run has round trips of 60 and 62 ns."""
    trips, lines = iter((60.0, 62.0)), iter((4.0, 5.0))
    monkeypatch.setattr(beside_profile, "stream_line_now", lambda: next(lines))
    monkeypatch.setattr(beside_profile, "watch", lambda: (1, 2_000_000, 102_000_000))
    monkeypatch.setattr(beside_profile.core_distance, "longest", lambda *_: next(trips))
    found = Beside(KNOWN, 2)
    with found.profiled():
        pass
    return found


def test_a_run_on_cores_that_were_moved_does_not_count(beside: Beside) -> None:
    beside.real += [real(330, 328), real(64, 66)]
    assert beside.alike == beside.real[1:]
    assert (beside.n_alike, beside.stayed) == (1, False)
    times = beside.times()
    assert (times.near_line, times.far_line, times.stream_line) == (31.5, 78.75, 4.5)
    assert (times.interrupted_every, times.interruption) == (100e6, 2e6)


def test_all_count_where_the_cores_stayed_or_none_was_alike(beside: Beside) -> None:
    beside.real += [real(62, 64), real(61, 60)]
    assert (beside.alike, beside.n_alike, beside.stayed) == (beside.real, 2, True)
    assert beside.round_trips == [62, 64, 60.0, 62.0, 61, 60]
    beside.real[:] = [real(330, 62), real(62, 330)]
    assert (beside.alike, beside.n_alike, beside.stayed) == (beside.real, 0, False)


def test_what_was_watched_lately_counts(beside: Beside) -> None:
    watched = deque([(0, 0, 100_000_000)] * 2, maxlen=3)
    found = Beside(KNOWN, 1, watched)
    assert found.times().interrupted_every == 150e6  # of the last three windows two had an interruption
    assert len(watched) == 3


def test_of_one_worker_no_distance_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside_profile, "watch", lambda: (0, 0, 1_000))
    found = Beside(KNOWN, 1)
    with found.profiled():
        pass
    found.real += [real(0, 0), {}]
    assert (found.alike, found.stayed, found.round_trips) == (found.real, True, [])
    assert found.times() == KNOWN


def test_several_workers_whose_cores_distance_cannot_be_measured_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside_profile, "watch", lambda: (0, 0, 1_000))
    monkeypatch.setattr(beside_profile.core_distance, "longest", lambda *_: None)
    with pytest.raises(StreambenchError, match="runs of 2 workers"), Beside(KNOWN, 2).profiled():
        pass


def test_a_run_of_several_workers_without_a_distance_does_not_count(beside: Beside) -> None:
    beside.real += [real(None, None), real(64, None)]
    assert beside.alike == beside.real[1:]
    assert not beside.stayed
