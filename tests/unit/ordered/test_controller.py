"""The controller's choices: what it settles on, and how soon."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from types import SimpleNamespace

import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, operators, segments_do_not_pay, segments_pay

from streambench.pyx.operator import PartitionedStateful, Stateful


def test_a_run_begins_whole() -> None:
    assert Simulated(keyed_pair(), COSTS, segments_pay).plan == ([], [])


def test_segments_that_pay_are_found_soon_and_kept() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(0.1)
    assert len(run.plan[0]) > 1
    run.run(10)
    assert len(run.plan[0]) > 1
    assert run.whole_share() < 0.05


def test_segments_that_do_not_pay_are_left_again_whatever_the_model_says() -> None:
    """And tried again ever more seldom: the stream may have changed."""
    run = Simulated(keyed_pair(), COSTS, segments_do_not_pay)
    run.run(0.1)
    assert run.plan == ([], [])
    assert run.changes > 0, "it never tried: the test tests nothing"
    run.run(10)
    assert run.plan == ([], [])
    assert run.whole_share() > 0.94, "two others are tried"


def test_one_trial_is_enough_for_a_plan_that_is_far_better_though_the_one_before_is_slow_after_it() -> None:
    """State that a trial has left in other cores' caches makes the plan whole another one for some milliseconds."""
    left = [-1e9]  # microseconds; when segments last ran

    def time(heads: list[int], sharded: list[int]) -> float:
        if heads:
            left[0] = run.now
            return 60.0
        return 400.0 if run.now - left[0] < 4000 else 212.0

    run = Simulated(keyed_pair(), COSTS, time)
    run.run(0.025)
    assert len(run.plan[0]) > 1
    assert run.whole_share() < 0.4, "with a second trial it is 0.54"


class Backlogged(Simulated):
    """What segments have under way takes 6 ms to go through, whatever the plan is then: more than the account holds."""

    def _drain(self, plan: tuple[list[int], list[int]], under_way: float, each: float) -> None:
        super()._drain(plan, under_way, each)
        if plan[0]:
            self.now += 6_000


def test_what_it_takes_to_leave_segments_says_nothing_of_the_plan_on_trial() -> None:
    """Segments are a little better at first, and a little worse then: too little to be seen without a trial."""

    def time(heads: list[int], sharded: list[int]) -> float:
        return 212.0 if not heads else 200.0 if run.now < 3e5 else 240.0

    run = Backlogged(keyed_pair(), COSTS, time, drains=True)
    run.run(0.3)
    assert run.plan[0]
    run.run(6)
    assert run.plan == ([], [])


@pytest.mark.parametrize("warm", [105.0, 130.0, 150.0])
def test_a_plan_that_warms_up_amid_its_trial_is_found_by_it(warm: float) -> None:
    """For 18,000 tuples its workers fetch state from the other core's cache; then it is faster than one worker."""
    run = Simulated(keyed_pair(), COSTS, lambda heads, sharded: 212.0)

    def time(heads: list[int], sharded: list[int]) -> float:
        return 212.0 if not heads else 260.0 if run.admitted - run.changed_at < 18_000 else warm

    run.time = time
    run.run(0.1)
    assert run.admitted * 212.0 > 1.15 * 0.1e9  # were the trial not to go on: 1.0, for a quarter of a second


def test_a_plan_that_warms_up_and_never_pays_is_paid_by_the_account() -> None:
    run = Simulated(keyed_pair(), COSTS, lambda heads, sharded: 212.0)

    def time(heads: list[int], sharded: list[int]) -> float:
        return 230.0 + 600.0 * exp((run.changed_at - run.admitted) / 6_000) if heads else 212.0

    run.time = time
    run.run(5)
    assert not run.plan[0]
    assert run.admitted * 212.0 > 0.98 * 5e9


def test_what_cannot_pay_is_not_even_tried() -> None:
    """One operator costs nearly all, and only one worker at a time may have it."""
    run = Simulated(operators(Stateful, Stateful), [1.0, 2.0, 200.0, 2.0], segments_pay)
    run.run(5)
    assert run.whole_share() > 0.9


def test_of_plans_by_partition_and_without_the_faster_one_stays() -> None:
    """Cuts in sequence cannot share one dear keyed operator out; partitions can, if they can."""
    made = operators(PartitionedStateful)

    def sharding(heads: list[int], sharded: list[int]) -> float:
        return 130.0 if sharded else 210.0

    run = Simulated(made, [5.0, 200.0, 5.0], sharding)
    for seconds in (0.2, 5):
        run.spent.clear()
        run.run(seconds)
        assert sum(spent for (_, sharded), spent in run.spent.items() if sharded == (1,)) > 0.9e6 * seconds


def first_trials(time: Callable[[list[int], list[int]], float], workers: int) -> tuple[list[str], Simulated]:
    """What is by partition, or only cut, in the plans of the first 30 ms, in the order of their trials."""
    run, tried = Simulated(keyed_pair(), COSTS, time, workers=workers), []
    while run.now < 30_000:
        run.run(0.0003)
        heads, sharded = run.plan
        kind = "sharded" if sharded else "cut" if heads else "whole"
        if not tried or tried[-1] != kind:
            tried.append(kind)
    return tried, run


def test_many_workers_first_try_the_plan_that_is_predicted_to_be_far_faster() -> None:
    """The cut would leave most of them idle; a plan twice as fast as one worker needs no way back."""
    tried, _ = first_trials(lambda heads, sharded: 30.0 if sharded else 110.0 if heads else 212.0, workers=16)
    assert tried[:2] == ["whole", "sharded"]
    assert tried[2:3] != ["whole"]


def test_a_bad_first_trial_leaves_the_next_plan_its_own() -> None:
    """By partition it is twice as slow as one worker; the cut, which is faster, is found all the same."""
    tried, run = first_trials(lambda heads, sharded: 424.0 if sharded else 110.0 if heads else 212.0, workers=16)
    assert tried[:4] == ["whole", "sharded", "whole", "cut"]
    assert run.plan[0]
    assert not run.plan[1]


@pytest.mark.parametrize("load", [0.02, 0.3, 0.5])
def test_a_stream_that_one_worker_can_keep_up_with_runs_whole(load: float) -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=212.0 / load)
    run.run(5)
    assert run.plan == ([], [])
    assert run.changes == 0


def test_a_stream_that_one_worker_can_hardly_keep_up_with_gets_more() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=212.0 / 0.95)
    run.run(1)
    assert len(run.plan[0]) > 1


def test_a_lull_runs_whole_and_after_it_the_better_plan_is_back_at_once() -> None:
    def slightly(heads: list[int], sharded: list[int]) -> float:
        return 180.0 if len(heads) > 1 and not sharded else 212.0

    run = Simulated(keyed_pair(), COSTS, slightly)
    run.run(3)
    best = run.plan
    assert len(best[0]) > 1
    for _ in range(5):
        run.gap = 212.0 * 5
        run.run(0.3)
        assert run.plan == ([], [])
        run.gap = 0.0
        run.run(0.06)
        assert run.plan == best


@pytest.mark.parametrize("moment", [k / 2000 for k in range(1, 40, 2)])
def test_a_lull_while_plans_are_tried_spoils_no_trial(moment: float) -> None:
    """What is then measured with the plan whole says nothing of the plan that was on trial."""
    run = Simulated(keyed_pair(), COSTS, segments_do_not_pay)
    run.run(moment)
    run.gap = 212.0 * 5
    run.run(0.02)
    run.gap = 0.0
    run.run(0.3)
    before = run.spent.get(((), ()), 0.0)
    run.run(2)
    assert run.spent[((), ())] - before > 0.9 * 2e6


def test_trials_that_lulls_cut_short_are_paid_for() -> None:
    """No trial of a stream that pauses every 6 ms comes to an end, so nothing is ever known of the plan on trial."""

    def bad(heads: list[int], sharded: list[int]) -> float:
        return 400.0 if heads else 212.0

    run, begun = Simulated(keyed_pair(), COSTS, bad), 0
    for cycle in range(1, 1001):
        for gap, until in ((0.0, 6e3), (424.0, 10e3)):
            run.gap = gap
            while run.now < (cycle - 1) * 10e3 + until:
                whole = not run.plan[0]
                run.run(1e-7)
                begun += whole and bool(run.plan[0])
    at_least = 0.5 * 2.4e3  # us that such a trial has to be covered by
    assert 0 < begun <= (0.01 * run.now + 5e3) / at_least


def test_when_the_operators_change_the_plan_follows() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(2)
    assert len(run.plan[0]) > 1
    run.costs = [2.0, 2.0, 2.0, 2.0, 2.0]  # so cheap that handing units on costs more than it gives

    def now_cheap(heads: list[int], sharded: list[int]) -> float:
        return 30.0 if heads else 10.0

    run.time = now_cheap
    run.run(8)
    before = run.spent.get(((), ()), 0.0)
    run.run(4)
    assert run.spent[((), ())] - before > 0.9 * 4e6


def test_one_worker_or_a_plan_by_hand_is_never_changed() -> None:
    for workers, free_plan in ((1, True), (2, False)):
        run = Simulated(keyed_pair(), COSTS, segments_pay, workers=workers, how={"free_plan": free_plan})
        run.run(2)
        assert run.changes == 0


@pytest.mark.parametrize("gap", [0.0, 5000.0])
def test_a_unit_by_hand_is_never_changed(gap: float) -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=gap, how={"unit": 100})
    run.run(1)
    assert run.controller.unit == 100


@pytest.mark.parametrize(
    ("cost", "target", "low", "high"),
    [
        (2.0, 1e-3, 4096, 4096),  # never more
        (1_000.0, 1e-3, 150, 250),  # some 200 us of work
        (1_000_000.0, 1e-3, 1, 1),
        (100.0, 1e-5, 25, 100),  # the latency target binds
    ],
)
def test_the_unit_is_work_for_a_while_and_near_the_latency_target(
    cost: float, target: float, low: int, high: int
) -> None:
    made = operators(Stateful)
    for each in made:
        each.columns = ("value",)
    how = {"latency_target": target, "free_plan": False}
    run = Simulated(made, [0.0, cost, 0.0], lambda heads, sharded: cost, how=how)
    run.run(2)
    assert low <= run.controller.unit <= high


def test_a_meter_sums_the_workers_and_estimates_by_what_was_timed(probes: SimpleNamespace) -> None:
    meters = probes.Meters(4, workers=3)
    meters.count(0, 1, 200, 10, 5)
    meters.count(2, 1, -1, 90, 45)  # the clock was not read
    meters.count(1, 1, 400, 20, 10)
    meters.count(1, 2, 100, 1, 1)
    assert meters.sums(1) == [600, 30, 120, 60, 3]
    assert meters.sums(2) == [100, 1, 1, 1, 1]
    assert meters.sums(0) == [0, 0, 0, 0, 0]


def test_a_look_that_saw_nothing_changes_nothing() -> None:
    """No tuple has come; or some have, and no operator has been timed."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    unit = run.controller.unit
    for step in range(1, 20):
        assert not run.controller.decide_on(step * 10**8, 0, run.metered)
    for step in range(20, 40):
        run.controller.full += 1_000_000
        assert not run.controller.decide_on(step * 10**8, (step - 19) * 1_000_000, run.metered)
    assert (run.plan, run.controller.unit) == (([], []), unit)


def test_dear_tuples_are_spread_soon() -> None:
    """0.1 ms per tuple: a unit of the first size takes 1.6 ms."""
    made = operators(PartitionedStateful)

    def sharding(heads: list[int], sharded: list[int]) -> float:
        return 52_000.0 if sharded else 100_000.0

    run = Simulated(made, [0.0, 100_000.0, 0.0], sharding)
    run.run(0.1)
    assert sum(spent for (_, sharded), spent in run.spent.items() if sharded) > 0.8 * 0.1e6


def test_a_trial_that_was_faster_than_the_plan_is_for_long_is_not_left_for_that() -> None:
    """What is usual is what it comes to take, within some stretches."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)

    def at_first_fast(heads: list[int], sharded: list[int]) -> float:
        since = run.now - began[0]
        return 212.0 if not heads else 80.0 if since < 2_500 else 130.0

    began = [0.0]
    run.time = at_first_fast
    changes = 0
    for _ in range(600):
        run.run(0.005)
        if run.changes != changes:
            changes = run.changes
            began[0] = run.now
    assert run.whole_share() < 0.03


def test_the_first_look_at_a_plan_does_not_count() -> None:
    """Then its pipeline fills, and it is slower than it will be. A look covers eight units at least."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    changes = began = 0

    def slow_at_first(heads: list[int], sharded: list[int]) -> float:
        nonlocal changes, began
        if run.changes > changes:
            changes, began = run.changes, run.position
        return 400.0 if heads and run.position < began + 8 * run.controller.unit else segments_pay(heads, sharded)

    run.time = slow_at_first
    run.run(0.5)
    assert len(run.plan[0]) > 1


def test_a_winner_that_becomes_much_slower_is_left_soon() -> None:
    """Not only at the next trial of the plan whole: that loses so much that it is seldom."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(2)
    assert run.whole_share() < 0.03
    run.time = lambda heads, sharded: 400.0 if heads else 212.0
    run.run(0.04)
    assert run.plan == ([], [])
    run.spent.clear()
    run.run(1)
    assert run.whole_share() > 0.95
