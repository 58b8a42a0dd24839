"""What cores take to share is measured once in a while, within bounds, and given up where somebody has a core."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from streambench.host import core_costs
from streambench.pyx.machine.core_distance import short_round_trip_ns
from streambench.pyx.machine.primitives import stream_line_ns

Measured = list[tuple[int, int]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time; nothing is known at its beginning."""
    now = [1000.0]
    monkeypatch.setattr(core_costs.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(core_costs, "_known", {})
    return now


def made_up(monkeypatch: pytest.MonkeyPatch, trip: Callable[[int, int], float], line: float = 3.2) -> Measured:
    """Primitives that take that; the pairs of cores for which they were asked."""
    asked: Measured = []

    def round_trip(one: int, other: int, patience: int) -> float:
        asked.append((one, other))
        return trip(one, other)

    monkeypatch.setattr(core_costs, "short_round_trip_ns", round_trip)
    monkeypatch.setattr(core_costs, "stream_line_ns", lambda *_: line)
    return asked


def late(one: int, other: int) -> float:
    raise TimeoutError


def no_thread(one: int, other: int) -> float:
    raise RuntimeError


def test_a_line_takes_half_a_round_trip_and_a_byte_its_part_of_a_streamed_line(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    asked = made_up(monkeypatch, lambda one, other: 60.0)
    assert core_costs.known([4, 6]) == {"line": 30.0, "byte": pytest.approx(0.05)}
    assert asked == [(4, 6)]


def test_of_more_cores_it_is_the_mean_to_the_next_and_to_the_last(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    asked = made_up(monkeypatch, lambda one, other: 40.0 if other == 1 else 400.0)
    found = core_costs.known(range(16))
    assert found is not None
    assert found["line"] == 110.0
    assert asked == [(0, 1), (0, 15)]


def test_what_was_measured_holds_for_some_seconds(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    asked = made_up(monkeypatch, lambda one, other: 60.0)
    for _ in range(3):
        core_costs.known([0, 1])
        clock[0] += 0.3 * core_costs.LASTING
    assert len(asked) == 1
    clock[0] += 0.3 * core_costs.LASTING
    core_costs.known([0, 1])
    assert len(asked) == 2
    core_costs.known([0, 2])
    assert len(asked) == 3, "other cores"


@pytest.mark.parametrize("failing", [late, no_thread])
def test_what_cannot_be_measured_is_not_known_and_not_tried_again_at_once(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], failing: Callable[[int, int], float]
) -> None:
    asked = made_up(monkeypatch, failing)
    assert core_costs.known([0, 1]) is None
    assert core_costs.known([0, 1]) is None
    assert len(asked) == 1


def test_what_was_known_stays_where_it_cannot_be_measured_anew(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    made_up(monkeypatch, lambda one, other: 60.0)
    known = core_costs.known([0, 1])
    clock[0] += 2 * core_costs.LASTING
    made_up(monkeypatch, late)
    assert core_costs.known([0, 1]) == known is not None


@pytest.mark.parametrize(("trip", "line"), [(1e-3, 1e-3), (1e9, 1e9)])
def test_what_was_disturbed_is_bounded(
    monkeypatch: pytest.MonkeyPatch, clock: list[float], trip: float, line: float
) -> None:
    made_up(monkeypatch, lambda one, other: trip, line)
    found = core_costs.known([0, 1])
    assert found is not None
    assert all(found[name] in bounds for name, bounds in core_costs.BOUNDS.items())


def test_one_core_has_nobody_to_share_with(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    asked = made_up(monkeypatch, late)
    assert core_costs.known([3]) is None
    assert core_costs.known([]) is None
    assert not asked


def test_whoever_measures_waits_no_longer_than_it_has_patience() -> None:
    """Of none the caller is gone before the threads have begun, and they end by themselves."""
    for _ in range(20):
        with pytest.raises(TimeoutError):
            short_round_trip_ns(0, 0, 0)
        with pytest.raises(TimeoutError):
            stream_line_ns(0, 0, 8, 0)


def test_threads_on_one_core_or_on_two_measure_something() -> None:
    assert short_round_trip_ns(0, 0, 10**12) > 0
    assert stream_line_ns(0, 0, 2) > 0
    with pytest.raises(ValueError, match="at least 1 round"):
        stream_line_ns(0, 0, 0)
