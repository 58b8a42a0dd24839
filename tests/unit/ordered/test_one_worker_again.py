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


class Stepping(Simulated):
    """A stream that takes one worker ``loads`` of its time in turn, for ``each`` seconds; the mean is what is told."""

    def __init__(self, loads: tuple[float, ...], each: float) -> None:
        self.loads, self.each = loads, each
        super().__init__(keyed_pair(), list(COSTS), segments_pay, how={"interval": ONE * len(loads) / sum(loads)})
        self.time = lambda heads, sharded: segments_pay(heads, sharded) if heads else sum(self.costs)

    def arrived(self) -> float:
        """By the steps so far."""
        steps, left = divmod(self.now / 1e6, self.each)
        whole, part = divmod(int(steps), len(self.loads))
        busy = self.each * (whole * sum(self.loads) + sum(self.loads[:part])) + left * self.loads[part]
        return busy * 1e9 / ONE

    def step(self) -> tuple[float, float]:
        """To the next step: the most that waited, in tuples, and the part of the time with several workers."""
        begun, most, several = self.now, 0.0, 0.0
        rate = self.loads[round(begun / 1e6 / self.each) % len(self.loads)] * 1e3 / ONE  # tuples per µs
        while self.now < begun + self.each * 1e6 - 1:
            behind = self.arrived() - self.position > max(2.0, self.now % 1)
            self.gap = 0.0 if behind else 1e3 / rate
            before, plan = self.now, self.plan
            self.run(1e-6)
            several += (self.now - before) * bool(plan[0])
            most = max(most, self.arrived() - self.position)
        return most, several / (self.now - begun)


def stepped(loads: tuple[float, ...], seconds: float) -> tuple[Stepping, float, dict[float, float]]:
    """6 s of it: the run, the most that ever waited, in ms of one worker, the part of the time with several, by load,
    in the later half."""
    run = Stepping(loads, seconds)
    steps = len(loads) * round(6 / seconds / len(loads))
    made = [run.step() for _ in range(steps)]
    later = made[steps // 2 // len(loads) * len(loads) :]
    shares = {load: [several for _, several in later[k :: len(loads)]] for k, load in enumerate(loads)}
    return run, max(most for most, _ in made) * ONE / 1e6, {load: sum(s) / len(s) for load, s in shares.items()}


@pytest.mark.parametrize("loads", [(0.2, 1.6), (0.9, 1.5), (1.6, 0.8), (0.3, 1.8), (0.05, 1.0, 1.8)])
def test_of_a_rate_that_steps_what_comes_of_late_counts(loads: tuple[float, ...]) -> None:
    """Not its mean, at which one worker may be enough where it is too slow for half of the time, and the reverse."""
    _, most, several = stepped(loads, 1.0)
    assert most < 8
    assert all(part > 0.95 if load > 1 else part < 0.05 for load, part in several.items() if load != 1.0), several


@pytest.mark.parametrize("loads", [(0.2, 1.6), (0.6, 1.2), (0.9, 1.5), (0.05, 1.0, 1.8)])
def test_where_a_rate_steps_too_often_for_one_worker_it_is_given_up(loads: tuple[float, ...]) -> None:
    run, most, several = stepped(loads, 0.02)
    assert run.changes / 2 <= math.log2(6 / FIRST_WAIT) + 1
    assert most < 8
    assert all(part > 0.9 for part in several.values()), several


def test_bursts_of_a_stream_that_is_little_in_the_mean_do_not_make_plans_go_to_and_fro() -> None:
    run, most, several = stepped((0.1, 0.1, 1.4), 0.02)
    assert run.changes / 2 <= math.log2(6 / FIRST_WAIT) + 2
    assert most < 8
    assert several[1.4] > 0.9


def test_a_worker_that_was_much_too_slow_is_tried_again_by_what_it_took_before() -> None:
    """Most of the latest looks at it are of when it was slow."""
    run = paced(0.6)
    run.run(1)
    slowed(run, 3.0, 0.05)
    assert len(run.plan[0]) > 1
    run.run(2 * FIRST_WAIT)
    assert run.plan == ([], [])


def test_what_a_failing_try_leaves_is_worked_off_without_a_trial_of_other_plans() -> None:
    """Segments have cold caches at first, and do not keep up."""
    gap = ONE / 1.2
    run = Simulated(keyed_pair(), list(COSTS), segments_pay, gap=gap, workers=4, how={"interval": gap})
    latest = (run.plan, run.now)

    def cold_at_first(heads: list[int], sharded: list[int]) -> float:
        nonlocal latest
        if latest[0] != (heads, sharded):
            latest = ((heads, sharded), run.now)
        cold = run.now - latest[1] < 4_000  # µs
        return ONE if not heads else 1.1 * gap if cold else 110.0

    run.time = cold_at_first
    run.run(0.05)
    best = run.plan
    assert len(best[0]) > 1
    run.run(10)
    assert set(run.spent) == {((), ()), (tuple(best[0]), tuple(best[1]))}


def test_one_worker_that_was_the_best_is_not_kept_where_the_rate_has_stepped_beyond_it() -> None:
    """In the mean it is fast enough, so a backlog would grow for as long as the step lasts."""
    run = Stepping((0.5, 1.3), 1.0)
    pay = {"segments": 260.0}
    run.time = lambda heads, sharded: pay["segments"] if heads else sum(run.costs)
    for _ in range(4):
        run.step()
    assert run.plan == ([], []), "segments were tried, and are slower"
    pay["segments"] = 110.0
    for _ in range(4):
        run.step()
    most = max(run.step()[0] for _ in range(4)) * ONE / 1e6
    assert most < 20


def test_a_long_interruption_is_worked_off_by_several() -> None:
    """One worker with little time to spare would take ten times as long as the interruption."""
    run = paced(0.9)
    run.run(0.5)
    slowed(run, 1.4, 0.05)
    while run.plan[0]:
        run.run(0.001)
    run.run(1.0)
    assert run.plan == ([], [])
    left, run.now, gap = 60_000.0, run.now + 60_000.0, run.gap  # µs
    begun, alone, run.gap = run.now, run.spent[(), ()], 0.0
    run.run(0.001)
    assert run.controller.waiting * gap / 1e3 > 50_000
    while run.controller.waiting * gap / 1e3 > 1_000:
        run.run(0.001)
    assert run.now - begun < 3 * left
    assert run.spent[(), ()] - alone < 10_000


def test_where_a_backlog_grows_at_a_rate_that_steps_one_worker_is_not_put_to_the_test() -> None:
    """It is known to be too slow for what comes of late, though not for the mean."""
    run = Stepping((0.2, 1.6), 1.0)
    run.time = lambda heads, sharded: ONE / 1.5 if heads else sum(run.costs)
    for _ in range(4):
        run.step()
    shares = [run.step()[1] for _ in range(4)]
    assert min(shares[1::2]) > 0.99


def test_workers_that_wait_leave_no_stream_to_one_that_is_too_slow_for_what_comes_of_late() -> None:
    """Somebody comes amid a step up, and goes amid the step down."""
    run = Stepping((0.2, 1.6), 1.0)

    def beside(heads: list[int], sharded: list[int]) -> float:
        run.wait = 0.5 if 3.3e6 < run.now < 4.5e6 else 0.0  # µs
        return segments_pay(heads, sharded) if heads else sum(run.costs)

    run.time = beside
    for _ in range(3):
        run.step()
    changes = run.changes
    run.step()
    assert not run.controller.bound
    assert run.changes - changes == 2, "as the rate steps up, and as it steps down"
