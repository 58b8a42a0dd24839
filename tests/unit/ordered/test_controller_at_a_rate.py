"""The controller's choices where tuples come at a rate: the plan, and how much is under way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from controller_simulator import COSTS, CREDIT, Simulated, keyed_pair, operators, segments_do_not_pay, segments_pay

from streambench.pyx.operator import PartitionedStateful, Stateful


@pytest.mark.parametrize("load", [0.8, 0.9])
def test_a_stream_that_its_plan_keeps_up_with_is_left_alone(load: float) -> None:
    """Trials would make it fall behind. Now and then a look finds it a little behind."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, how={"interval": 110.0 / load})
    run.run(0.5)
    best = run.plan
    assert len(best[0]) > 1
    changes = run.changes
    for _ in range(200):
        run.gap = 110.0 / load
        run.run(0.03)
        run.gap = 0.0
        run.run(0.006)
    assert (run.plan, run.changes) == (best, changes)


def test_a_stream_that_comes_too_fast_for_one_worker_is_soon_shared_without_a_trial() -> None:
    """While plans are tried it would fall behind."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how={"interval": 140.0})
    run.run(5)
    assert len(run.plan[0]) > 1
    assert run.spent[(), ()] < 2_000
    assert run.changes == 1


@pytest.mark.parametrize(("falling", "shards"), [((90.0, 90.0, 28.0), False), ((90.0, 90.0, 90.0), True)])
def test_what_the_first_moments_cost_more_shares_no_operator_out(falling: tuple[float, ...], shards: bool) -> None:
    """Memory is touched for the first time, and tables grow: the least of the looks is nearest to what is to come."""
    costs = [2.0, falling[0], 8.0, 0.0]
    run = Simulated(
        operators(PartitionedStateful, Stateful),
        costs,
        lambda heads, sharded: 30.0 if heads else sum(costs),
        gap=35.0,
        how={"interval": 35.0},
    )
    for cost in falling:
        costs[1] = cost
        run.run(0.0003)
    costs[1] = falling[-1]
    run.run(0.01)
    assert bool(run.plan[1]) == shards
    assert len(run.plan[0]) > 0


def test_a_worker_that_falls_behind_does_not_stay_alone_for_looks_in_which_little_was_to_do() -> None:
    """By every second look it would have time to spare."""
    costs = [0.0, 12.5, 12.5, 0.0]
    made = operators(Stateful, Stateful)
    run = Simulated(made, costs, lambda heads, sharded: 30.0 if heads else 55.0, gap=40.0, how={"interval": 40.0})
    for step in range(200):
        costs[1] = costs[2] = (12.5, 22.0)[step % 2]
        run.run(0.0003)
    assert len(run.plan[0]) > 0


def test_a_worker_that_keeps_up_stays_alone_however_dear_small_units_seem() -> None:
    """It takes what has arrived: what a unit costs besides its tuples fills the time that they leave it."""
    costs = [0.0, 95.0, 95.0, 5.0, 5.0]
    for each in (200.0, 250.0):  # of a tuple, by the meters; one comes every 210 ns
        costs[1] = each - 105.0
        run = Simulated(keyed_pair(), costs, lambda heads, sharded: 205.0, gap=210.0, how={"interval": 210.0})
        run.run(1)
        assert (run.plan, run.changes) == (([], []), 0)


def test_a_stream_that_one_worker_keeps_up_with_has_one() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=400.0, how={"interval": 400.0})
    run.run(5)
    assert run.plan == ([], [])
    assert run.changes == 0


@pytest.mark.parametrize("unit_by_hand", [0, 5])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_at_a_rate_little_is_under_way(workers: int, unit_by_hand: int) -> None:
    """Units of some 20 us of work, two to a worker; of smaller ones, by hand, as many more as they are smaller."""
    gap = 35.0 if workers > 1 else 58.0
    costs = [cost / 4 for cost in COSTS]
    how = {"interval": gap, "credit": 256, "unit": unit_by_hand}
    run = Simulated(keyed_pair(), costs, lambda *plan: segments_pay(*plan) / 4, gap=gap, workers=workers, how=how)
    run.run(1)
    work = 1e-3 * sum(costs) * run.controller.unit
    assert work == pytest.approx(20.0, rel=0.5) or unit_by_hand
    assert run.controller.units_in_flight * work == pytest.approx(20.0 * 2 * workers, rel=0.5)


@pytest.mark.parametrize(("cost", "unit"), [(20.0, 1000), (300.0, 128), (1_100.0, 128), (2_200.0, 100), (2.0, 3072)])
def test_at_a_rate_a_unit_is_little_work_but_not_few_tuples_unless_they_are_dear(cost: float, unit: int) -> None:
    made = operators(Stateful)
    for each in made:
        each.columns = ("value",)
    how = {"interval": 1.2 * cost}
    run = Simulated(made, [0.0, cost, 0.0], lambda heads, sharded: cost, gap=1.2 * cost, how=how)
    run.run(2)
    assert run.controller.unit == pytest.approx(unit, abs=1)


def test_all_credit_is_there_without_a_rate_and_where_it_is_given_by_hand() -> None:
    free = Simulated(keyed_pair(), COSTS, segments_pay)
    by_hand = {"interval": 140.0, "free_credit": False}
    for run in (free, Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how=by_hand)):
        run.run(1)
        assert run.controller.units_in_flight == CREDIT


@pytest.mark.parametrize(("cheaper", "largest"), [(1, False), (50, True)])
def test_more_is_under_way_while_a_stream_is_not_kept_up_with(cheaper: int, largest: bool) -> None:
    """Larger units; more, where they cannot be larger. Not for a short backlog, and until it is caught up with."""

    def paced(ns: float) -> Callable[[list[int], list[int]], float]:
        return lambda heads, sharded: ns / cheaper

    def enlarged() -> bool:
        if largest:
            return (run.controller.unit, run.controller.units_in_flight) == (4096, 3 * in_flight)
        return (run.controller.unit, run.controller.units_in_flight) == (pytest.approx(4 * unit, rel=0.1), in_flight)

    run = Simulated(
        keyed_pair(),
        [cost / cheaper for cost in COSTS],
        lambda *plan: segments_pay(*plan) / cheaper,
        gap=140.0 / cheaper,
        how={"interval": 140.0 / cheaper},
    )
    run.run(0.5)
    run.admitted = run.now * 1e3 / run.how["interval"]  # nothing waits
    unit, in_flight = run.controller.unit, run.controller.units_in_flight
    run.time = paced(145.0)
    run.run(0.008)  # one part of 29 of it is the backlog
    assert (run.controller.unit, run.controller.units_in_flight) == (unit, in_flight)
    run.time = paced(160.0)
    run.run(0.003)  # an eighth
    assert run.controller.unit > unit
    run.run(0.2)
    assert enlarged()
    run.time = paced(120.0)  # it catches up in 0.16 s, and all that time more has arrived than is processed
    run.gap = 0.0
    run.run(0.1)
    assert enlarged()
    run.run(0.08)
    assert (run.controller.unit, run.controller.units_in_flight) == (unit, in_flight)


def test_a_stream_that_catches_up_is_not_held_up_by_a_trial() -> None:
    """An interruption leaves a backlog, of which the plan is not the cause; a trial would make it larger."""
    tried = set()

    def paced(heads: list[int], sharded: list[int]) -> float:
        tried.add((tuple(heads), tuple(sharded)))
        return time if len(heads) > 1 else 212.0

    time = 110.0
    run = Simulated(keyed_pair(), COSTS, paced, gap=140.0, how={"interval": 140.0})
    run.run(0.5)
    run.now += 14_000.0  # µs in which nothing happens
    run.gap = 0.0
    tried.clear()
    run.run(0.04)  # with 110 ns instead of 140 it takes 52 ms
    assert len(tried) == 1
    time = 230.0  # and now one worker alone would be faster
    run.run(0.1)
    assert len(tried) > 1


def test_with_segments_a_backlog_is_looked_at_at_once() -> None:
    """Half a millisecond of it, as it comes, but no sooner than 0.6 ms after the last look; then as often."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how={"interval": 140.0})
    controller = run.controller
    assert not controller.due(0, 1 << 60), "one worker is not hurried"
    run.run(0.5)
    run.admitted = run.now * 1e3 / 140.0  # nothing waits
    run.run(0.005)
    begun = int(run.now * 1e3)
    assert controller.next_decision == begun + 5_000_000
    assert not controller.due(begun + 599_999, 4000)
    assert controller.due(begun + 600_000, 4000)
    assert not controller.due(begun + 600_000, 3000)
    run.time = lambda heads, sharded: 160.0
    run.run(0.01)
    assert controller.next_decision == int(run.now * 1e3) + 600_000


def test_a_source_that_had_nothing_for_a_while_is_no_backlog() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how={"interval": 140.0})
    run.run(0.5)
    unit = run.controller.unit
    run.gap = 1e6  # a thousand tuples a second
    run.run(0.5)
    run.gap = 140.0
    run.run(0.5)
    assert run.controller.unit == unit


def test_a_stream_that_is_too_fast_is_left_to_one_worker_where_segments_are_slower() -> None:
    """Whatever the model says."""
    run = Simulated(keyed_pair(), COSTS, segments_do_not_pay, how={"interval": 200.0})
    run.run(1)
    assert run.plan == ([], [])


def test_however_often_sizes_change_plans_can_change_still() -> None:
    """What is kept of the choices is limited."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how={"interval": 140.0})
    sizes = set()
    for _ in range(700):
        run.time = lambda heads, sharded: 160.0
        run.run(0.03)
        sizes.add(run.controller.unit)
        run.time = lambda heads, sharded: 100.0
        run.gap = 0.0
        while run.position * 140.0 < run.now * 1e3:
            run.run(0.001)
        run.gap = 140.0
        run.run(0.01)
        sizes.add(run.controller.unit)
    assert len(sizes) > 1
    run.time = segments_do_not_pay
    run.run(5)
    assert run.plan == ([], [])


def test_what_one_worker_cannot_keep_up_with_is_shared_though_little_is_gained() -> None:
    """By the model segments take 0.98 of the time of the plan whole."""

    def hardly_pays(heads: list[int], sharded: list[int]) -> float:
        return 60.3 if heads else 61.2

    made = operators(Stateful, Stateful)
    for interval, shared in ((60.5, True), (62.0, False)):
        run = Simulated(made, [0.0, 1.0, 60.0, 0.2], hardly_pays, gap=interval, how={"interval": interval})
        run.run(1)
        assert bool(run.plan[0]) == shared


def test_what_operators_cost_where_workers_share_them_is_not_what_they_would_cost_one() -> None:
    """Each worker's part of the state may be in its cache, and for one be too large."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how={"interval": 140.0})

    def in_cache(heads: list[int], sharded: list[int]) -> float:
        run.costs = [0.3 * each for each in COSTS] if heads else COSTS
        return segments_pay(heads, sharded)

    run.time = in_cache
    run.run(3)
    assert len(run.plan[0]) > 1
    assert run.changes == 1
