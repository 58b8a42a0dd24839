"""A join whose tuples arrive while it runs gives the bytes of the one in memory, whatever comes when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.join.arrivals import Arrivals

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import TIERS, JoinCrew

INT = np.int64
MICROSECOND = 1000
Side = tuple[Any, Any, list[Any]]  # timestamps, values, by physical stream its rows


def side(seed: int, streams: int, n: int) -> Side:
    """Physical streams of many equal times, merged by (time, stream, place in the stream)."""
    random = np.random.default_rng(seed)
    ts = random.integers(0, n // 3, n)
    of = random.integers(0, streams, n)
    order = np.lexsort((of, ts))
    return ts[order], random.integers(0, 20, n), [np.flatnonzero(of[order] == k) for k in range(streams)]


def definition(left: Side, right: Side, compared_from: int = 0) -> Definition:
    return Definition(left[0], right[0], [(left[1], right[1], 1)], 30, "exact", compared_from=compared_from)


def first_rows(left: Side, right: Side, n: int) -> list[int]:
    """How many of the first tuples of the order are of each side."""
    sides = np.repeat([0, 1], [len(left[0]), len(right[0])])
    found = sides[np.lexsort((sides, np.concatenate([left[0], right[0]])))][:n]
    return [int((found == each).sum()) for each in (0, 1)]


def arriving(left: Side, right: Side, compared_from: int, seed: int, delay: int = 3 * MICROSECOND) -> list[Any]:
    """The physical streams, each tuple after a random time behind the one before it."""
    random = np.random.default_rng(seed)
    made = []
    begins = first_rows(left, right, compared_from)
    for number, (ts, _, streams) in enumerate((left, right)):
        for rows in streams:
            rows = rows[rows >= begins[number]]
            made.append((number, ts[rows], rows, np.cumsum(random.integers(0, delay, len(rows)))))
    return made


def joined(*arguments: Any, **more: Any) -> list[Any]:
    crew = JoinCrew(*arguments, **more)
    crew.run()
    return [rows.tolist() for rows in crew.matches()]


@pytest.mark.parametrize("tier", TIERS)
def test_no_interleaving_of_arrivals_changes_a_byte(tier: str) -> None:
    left, right = side(1, 3, 700), side(2, 2, 600)
    for compared_from in (0, 201):
        wanted = definition(left, right, compared_from)
        want = joined(wanted, "scan")
        assert len(want[0]) > 0
        for seed, threads in enumerate((1, 2, 5)):  # more than there are cores
            came = Arrivals(wanted, arriving(left, right, compared_from, seed))
            assert joined(wanted, tier, threads, arrivals=came) == want, (compared_from, threads)
            assert came.ends[-1] == 1300


def test_the_papers_gate_gives_the_same() -> None:
    left, right = side(1, 3, 300), side(2, 2, 300)
    wanted = definition(left, right)
    came = Arrivals(wanted, arriving(left, right, 0, 1), gate="skip-list")
    assert joined(wanted, "index", 2, arrivals=came) == joined(wanted, "scan")


def test_what_has_arrived_leaves_although_a_stream_is_silent_that_sends_heartbeats() -> None:
    """Half of the tuples are ready by its first heartbeat, the rest when it is closed, a long time later."""
    ts = np.arange(1, 101)
    values, rows, now = np.zeros(100, INT), np.arange(100), np.zeros(100, INT)
    wanted = Definition(ts, ts, [(values, values, 0)], 0, "exact")
    later = 50_000_000
    silent = (1, np.array([51, 100]), np.array([-1, -1]), np.array([0, later]))
    came = Arrivals(wanted, [(0, ts, rows, now), (1, ts, rows, now), silent])
    crew = JoinCrew(wanted, "simd", 2, arrivals=came)
    crew.run()
    left, _ = crew.matches()
    assert left.tolist() == rows.tolist()
    left_ns = crew.left_ns - came.begun_ns
    before = came.ends <= 102
    assert came.ends[before].max() == 102  # of each side those up to 51: of equal times the silent one is last
    assert (left_ns[before] < later).all()
    assert (left_ns[~before] >= later).all()


def test_tuples_leave_after_they_are_due_and_progress_is_told_without_matches() -> None:
    ts = np.arange(400)
    due = 20 * MICROSECOND * ts
    wanted = Definition(ts, ts, [(np.zeros(400, INT), np.ones(400, INT), None)], 10, "exact")
    came = Arrivals(wanted, [(0, ts, ts, due), (1, ts, ts, due)])
    crew = JoinCrew(wanted, "codes", 3, arrivals=came)
    crew.run()
    assert len(crew.matches()[0]) == 0
    assert len(crew.left_ns) == len(came.ends)
    last = (came.ends - 1) // 2  # of each batch
    assert (crew.left_ns - came.begun_ns >= due[last]).all()


@pytest.mark.parametrize("expected", [1, 399, 400, 401, 100_000])
def test_matches_are_the_same_whether_more_or_fewer_were_expected(expected: int) -> None:
    ts = np.arange(200)
    wanted = Definition(ts, ts, [(np.zeros(200, INT), np.zeros(200, INT), 0)], 1, "exact", compared_from=100)
    found = []
    for room in (0, expected):
        crew = JoinCrew(wanted, "index", 2, expected=room)
        crew.run()
        found.append([side.tolist() for side in crew.matches()])
    assert len(found[0][0]) > 399  # about three for each of the left side: beyond what was expected room is found anew
    assert found[0] == found[1]


def test_streams_that_do_not_make_up_their_side_are_refused() -> None:
    ts = np.arange(10)
    rows, now = np.arange(10), np.zeros(10, INT)
    wanted = Definition(ts, ts, [(ts, ts, 0)], 5, "exact")
    good = (1, ts, rows, now)
    with pytest.raises(ValueError, match="of side 0, then those of side 1"):
        Arrivals(wanted, [good, (0, ts, rows, now)])
    with pytest.raises(ValueError, match="side 0 have 9 tuples, not 10"):
        Arrivals(wanted, [(0, ts[1:], rows[1:], now[1:]), good])
    with pytest.raises(ValueError, match="never be due earlier"):
        Arrivals(wanted, [(0, ts, rows, now - ts), good])
    with pytest.raises(TypeError, match="int64 arrays"):
        Arrivals(wanted, [(0, ts.astype(np.int32), rows, now), good])
    with pytest.raises(ValueError, match="for another join"):
        JoinCrew(Definition(ts, ts, [], 5), "scan", arrivals=Arrivals(wanted, [(0, ts, rows, now), good]))
    swapped = np.array([1, 0, *range(2, 10)])
    crew = JoinCrew(wanted, "scan", arrivals=Arrivals(wanted, [(0, ts, swapped, now), good]))
    crew.run()
    with pytest.raises(ValueError, match="in the order of time, stream and place"):
        crew.matches()


def test_ctrl_c_ends_a_join_that_waits_for_tuples() -> None:
    one, hour = np.array([5]), np.array([3_600_000_000_000])
    wanted = Definition(one, one, [(one, one, 0)], 5, "exact")
    came = Arrivals(wanted, [(0, one, one - 5, hour), (1, one, one - 5, hour)])

    def interrupt(progress: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        JoinCrew(wanted, "scan", 2, arrivals=came).run(interrupt)
