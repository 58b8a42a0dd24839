"""What primitives take is the least of several attempts, and attempts that disagree wildly are told of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from streambench.errors import OptionError
from streambench.pyx.machine import primitives
from streambench.simulate import times
from streambench.simulate.times import Times, measure, spread


def made_up(*values: float) -> Callable[..., float]:
    """A primitive whose attempts take these, over and over."""
    count = iter(range(1_000_000))
    return lambda *_: values[next(count) % len(values)]


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Two cores on which every attempt takes the same."""
    monkeypatch.setattr(times, "allowed_cpus", lambda: [0, 1])
    monkeypatch.setattr(times, "round_trip_ns", made_up(60.0))
    monkeypatch.setattr(times, "memory_bytes_per_ns", made_up(10.0))
    monkeypatch.setattr(times, "account_ns", made_up(900.0))
    for name in ("stream_line", "pause", "yield", "wake_up", "wake_call", "hand_over", "wait_call", "vain_call"):
        monkeypatch.setattr(primitives, f"{name}_ns", made_up(50.0))
    for name in ("clock_ns", "read_modify_write_ns"):
        monkeypatch.setattr(primitives, name, made_up(5.0))
    return monkeypatch


def test_attempts_that_agree_are_no_warning(quiet: pytest.MonkeyPatch) -> None:
    found = measure()
    assert (found.near_line, found.far_line, found.wake_up, found.memory) == (30, 75, 50, 10)
    assert (found.spread, found.warnings) == (1, [])


def test_a_busy_neighbour_does_not_lengthen_a_lines_way(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(times, "round_trip_ns", made_up(43_898.0, 12_000.0, 64.0, 62.0, 9_000.0))
    found = measure()
    assert found.near_line == 31
    assert found.spread == pytest.approx(9_000 / 62)
    (warning,) = found.warnings
    assert "145.2 times" in warning


def test_any_primitive_between_cores_is_warned_of(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(primitives, "wake_up_ns", made_up(4_000.0, 4_200.0, 300_000.0))
    assert measure().warnings == []  # one attempt of three was spoilt: two agree
    quiet.setattr(primitives, "wake_up_ns", made_up(4_000.0, 8_000.0, 300_000.0))
    found = measure()
    assert (found.wake_up, found.spread, len(found.warnings)) == (4_000, 2, 1)


def test_the_spread_is_kept_in_records_and_not_told_to_a_simulated_machine(quiet: pytest.MonkeyPatch) -> None:
    quiet.setattr(primitives, "hand_over_ns", made_up(100.0, 700.0, 800.0))
    found = measure()
    assert found.to_dict()["spread"] == 7
    assert "spread" not in found.simulated()
    again = Times(**found.to_dict())  # type: ignore[arg-type]
    assert again.warnings == found.warnings != []


def test_of_no_time_at_all_there_is_no_spread() -> None:
    assert spread([0.0, 0.0, 1.0]) == 1


def test_one_core_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "allowed_cpus", lambda: [0])
    with pytest.raises(OptionError, match="one core alone"):
        measure()
