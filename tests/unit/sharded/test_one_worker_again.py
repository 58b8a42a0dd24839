"""At a rate, one worker that was too slow once is tried again: what made it slow may be over."""

from __future__ import annotations

import math

import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, segments_pay

ONE = sum(COSTS)  # ns of one worker for a tuple
FIRST_WAIT = 0.1  # seconds: `renewed`


def paced(load: float) -> Simulated:
    """A stream that takes one worker so much of its time."""
    run = Simulated(keyed_pair(), list(COSTS), segments_pay, gap=ONE / load, how={"interval": ONE / load})
    run.time = lambda heads, sharded: segments_pay(heads, sharded) if heads else sum(run.costs)
    return run


def slowed(run: Simulated, times: float, seconds: float) -> None:
    """Somebody else makes one worker so many times as slow."""
    run.costs = [times * each for each in COSTS]
    run.run(seconds)
    run.costs = list(COSTS)


@pytest.mark.parametrize("seconds", [0.05, 1.0, 8.0])
@pytest.mark.parametrize("load", [0.6, 0.85])
def test_it_is_alone_again_soon_after_it_was_slow_for_a_while(load: float, seconds: float) -> None:
    """After no longer than it was slow, or 0.2 s."""
    run = paced(load)
    run.run(1)
    assert run.plan == ([], [])
    slowed(run, 1.24 / load, seconds)
    assert len(run.plan[0]) > 1
    run.run(max(2 * FIRST_WAIT, seconds))
    assert run.plan == ([], [])
    changes = run.changes
    run.run(20)
    assert (run.plan, run.changes) == (([], []), changes)


@pytest.mark.parametrize("load", [1.05, 1.15, 1.24])
def test_where_it_is_too_slow_still_there_are_few_tries_and_short_ones(load: float) -> None:
    run = paced(load)
    run.run(0.05)
    assert len(run.plan[0]) > 1
    changes, whole = run.changes, run.spent[(), ()]
    run.run(20)
    tries = math.log2(20 / FIRST_WAIT)
    assert 2 <= (run.changes - changes) / 2 <= tries + 1
    assert run.spent[(), ()] - whole <= (tries + 1) * 3_000  # µs
    assert len(run.plan[0]) > 1


def test_where_it_would_be_much_too_slow_it_is_not_tried() -> None:
    run = paced(1.3)
    run.run(0.05)
    changes = run.changes
    run.run(4)
    assert run.changes == changes


@pytest.mark.parametrize("after", [0.0, 1.0])
def test_an_interruption_of_a_try_or_after_it_does_not_end_it(after: float) -> None:
    """It works off what has come meanwhile."""
    run = paced(0.7)
    run.run(0.5)
    slowed(run, 1.7, 0.05)
    assert len(run.plan[0]) > 1
    while run.plan[0]:
        run.run(0.001)
    run.run(after)
    changes = run.changes
    run.now += 5_000.0  # µs in which nothing happens
    run.gap = 0.0  # and tuples wait
    run.run(0.011)
    run.gap = ONE / 0.7
    run.run(1)
    assert (run.plan, run.changes) == (([], []), changes)


def in_slices(run: Simulated, seconds: float, here: float, away: float) -> float:
    """One worker has its core for ``here`` ms, and then for ``away`` not. Returns the most that ever waited, in ms."""
    gap, end, most = run.gap, run.now + seconds * 1e6, 0.0
    while run.now < end:
        slice_ends = run.now + here * 1e3
        while run.now < slice_ends:
            run.gap = 0.0 if run.controller.waiting > run.controller.unit else gap
            run.run(0.0003)
            most = max(most, run.controller.waiting * gap / 1e6)
        if not run.plan[0]:
            run.now += away * 1e3
    run.gap = gap
    return most


@pytest.mark.parametrize(("here", "away"), [(4.0, 4.0), (8.0, 5.0), (2.0, 1.0)])
def test_a_core_that_is_shared_in_slices_is_noticed(here: float, away: float) -> None:
    """Between two of them it works off a part of what has come meanwhile."""
    run = paced(0.75)
    slowed(run, 1.6, 0.05)
    assert len(run.plan[0]) > 1
    changes, whole = run.changes, run.spent[(), ()]
    assert in_slices(run, 20, here, away) < 12 * away
    tries = math.log2(20 / FIRST_WAIT)
    assert 1 <= (run.changes - changes) / 2 <= tries + 1
    assert run.spent[(), ()] - whole <= (tries + 1) * 40_000  # µs


def test_tuples_that_are_dear_two_times_of_three_are_noticed() -> None:
    run = paced(1.08)
    run.run(0.05)
    assert len(run.plan[0]) > 1
    changes = run.changes
    for step in range(20_000):
        run.costs = [each * (0.78, 1.11, 1.11)[step % 3] for each in COSTS]
        run.run(0.0006)
    assert (run.changes - changes) / 2 <= math.log2(20_000 * 0.0006 / FIRST_WAIT) + 1


def test_one_worker_that_kept_up_for_another_reason_is_not_waited_for_as_before() -> None:
    run = paced(1.15)
    run.run(20)
    assert len(run.plan[0]) > 1, "and the next try is many seconds away"
    run.costs = [0.4 * each for each in COSTS]  # less than half of its time
    run.run(6)
    assert run.plan == ([], [])
    run.costs = [0.7 * each for each in COSTS]
    run.run(1)
    run.costs = [1.05 * each for each in COSTS]
    run.run(0.1)
    assert len(run.plan[0]) > 1
    run.costs = [0.7 * each for each in COSTS]
    run.run(2 * FIRST_WAIT)
    assert run.plan == ([], [])


def test_without_a_rate_there_is_nothing_to_try_again() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(1)
    plan, changes = run.plan, run.changes
    assert len(plan[0]) > 1
    run.gap = 1.2 * ONE  # as a queue that is read from has it: keeping up with this is not worth a plan
    run.run(1)
    assert (run.plan, run.changes) == (plan, changes)
