"""What cores that are away do to a stream is what a queue does; and who watches cores notes each gap."""

from __future__ import annotations

import pytest

from streambench.host.limits import allowed_cpus
from streambench.lab.host.interference import gaps
from streambench.lab.measure.perf.taken_away import STEP, delay

SECOND, GAP = 1_000_000_000, 10_000_000
NEAR = 1.5 * STEP / 1e9
AWAY = [(SECOND // 2, GAP)]


def test_where_no_core_is_away_nothing_waits() -> None:
    assert delay([[], []], SECOND, 0.8, 100) == 0.0


def test_the_first_tuple_of_a_gap_of_all_cores_waits_for_all_of_it() -> None:
    assert delay([AWAY, AWAY], SECOND, 0.8, 100) == pytest.approx(0.010, abs=NEAR)


def test_those_that_come_within_the_gap_are_the_latest_hundredth() -> None:
    """The last of them waits for what came before it in the gap, too: 10 ms of the stream, at 80 % of the speed."""
    assert delay([AWAY, AWAY], SECOND, 0.8, 99) == pytest.approx(0.008, abs=NEAR)


def test_one_core_of_two_leaves_half_of_the_work() -> None:
    """One core does 5/8 of what comes. Latest is what is through when the gap ends: it came after 5/8 of it."""
    assert delay([AWAY, []], SECOND, 0.8, 100) == pytest.approx(0.010 * 3 / 8, abs=NEAR)
    assert delay([AWAY, []], SECOND, 0.5, 100) == 0.0  # one core keeps up


def test_what_is_not_through_at_the_end_has_waited_until_then() -> None:
    late = [(SECOND - GAP, GAP)]
    assert delay([late, late], SECOND, 0.8, 100) == pytest.approx(0.010, abs=NEAR)


def test_each_gap_of_a_watched_core_is_noted_in_order() -> None:
    cores = tuple(allowed_cpus()[:2])
    found = gaps(cores, 0.05)
    assert len(found) == len(cores)
    for core in found:
        ends = [begin + length for begin, length in core]
        assert all(length >= 20_000 for _, length in core)
        assert all(end <= begin for end, (begin, _) in zip(ends, core[1:], strict=False))
