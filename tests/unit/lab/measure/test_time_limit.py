"""A time limit: its parts, what ends it, and what it tells."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from streambench.errors import StreambenchError
from streambench.lab.measure import time_limit
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.time_limit import TimeLimit


class Clock:
    """Stands for ``time``."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(time_limit, "time", found)
    return found


def test_parts_share_what_is_left_evenly(clock: Clock) -> None:
    limit = TimeLimit(90.0)
    limit.ran()
    limit.begin_part(3)
    clock.now = 29.0
    assert not limit.part_is_over
    clock.now = 50.0  # the first part took longer
    assert limit.part_is_over
    limit.begin_part(2)
    clock.now = 69.0
    assert not limit.part_is_over
    clock.now = 70.0
    assert limit.part_is_over


def test_no_limit_never_ends(clock: Clock) -> None:
    limit = TimeLimit()
    limit.begin_part(2)
    clock.now = 1e12
    assert list(limit.while_there_is_time(range(3))) == [0, 1, 2]
    assert limit.record([]) == {"step": "measured"}


def test_items_end_with_the_part_and_the_record_warns(clock: Clock) -> None:
    limit = TimeLimit(10.0)
    seen = []
    for item in limit.while_there_is_time(range(5)):
        seen.append(item)
        clock.now += 4.0
    assert seen == [0, 1, 2]
    (warning,) = limit.record([{}])["warnings"]
    assert "time limit of 10 s" in warning


def test_a_limit_that_left_nothing_out_does_not_warn(clock: Clock) -> None:
    limit = TimeLimit(10.0)
    assert list(limit.while_there_is_time(range(2))) == [0, 1]
    assert "warnings" not in limit.record([{}])


def test_one_run_is_measured_however_late_it_is(clock: Clock) -> None:
    limit = TimeLimit(1.0)
    clock.now = 2.0
    assert limit.is_up
    assert not limit.part_is_over
    assert list(limit.while_there_is_time(range(2))) == [0]
    assert limit.part_is_over


def test_stopped_before_the_first_run_is_an_error(clock: Clock) -> None:
    limit = TimeLimit(1.0)
    limit.stop()
    assert list(limit.while_there_is_time(range(2))) == []
    with pytest.raises(StreambenchError, match="stopped before anything was measured"):
        limit.record([])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_the_measuring_the_second_breaks_it_off(number: signal.Signals) -> None:
    def broken_off(got: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, broken_off)
    try:
        limit = TimeLimit(1000.0)
        with limit.stopped_by_signal():
            signal.raise_signal(number)
            assert limit.part_is_over
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)
        assert signal.getsignal(number) is broken_off
    finally:
        signal.signal(number, before)


def test_without_a_limit_signals_stay_as_they_are() -> None:
    before = signal.getsignal(signal.SIGINT)
    with TimeLimit().stopped_by_signal():
        assert signal.getsignal(signal.SIGINT) is before


def test_interleaved_repeats_are_whole(clock: Clock) -> None:
    limit = TimeLimit(10.0)

    def run() -> float:
        clock.now += 3.0
        return clock.now

    found = interleave({"a": run, "b": run}, 9, [], limit=limit)  # each is warmed up once
    assert {name: len(values) for name, values in found.items()} == {"a": 1, "b": 1}
