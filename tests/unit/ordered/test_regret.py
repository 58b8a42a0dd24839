"""What the controller loses to the best fixed plan, in made-up worlds: see docs/controller.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, operators, segments_pay

from streambench.execution.decisions import KINDS

STEP, WINDOW = 0.0005, 0.5  # seconds


PIPELINES = {
    "keyed": (("ps",), (0.1, 210.2, 4.6)),
    "mixed": (("sl", "ps"), (0.4, 303.1, 727.7, 5.0)),
    "long": (("ps", "sl", "ps", "ps", "sl"), (0.4, 293.8, 128.8, 536.3, 232.3, 249.8, 4.8)),
}
"""Kinds, and ns of each operator per stream tuple, source and sink included, as two workers once metered them."""


@dataclass
class World:
    """ns per stream tuple of the plan whole, of cuts and of plans by partition, as multiples of the operators' cost.

    ``then``: what becomes of the three, and of all costs, at a moment (seconds). ``neighbour``: whether somebody is on
    a core then: segments that stay on theirs take twice as long, one worker finds the other core if it may.
    """

    name: str
    cut: float
    sharded: float
    then: Callable[[float], tuple[float, float, float, float]] = lambda at: (1.0, 1.0, 1.0, 1.0)
    neighbour: Callable[[float], bool] = lambda at: False


def drift(at: float) -> tuple[float, float, float, float]:
    return 1.0, 1.0 + 0.08 * at, 1.0, 1.0 + 0.1 * at


def bursts(at: float) -> tuple[float, float, float, float]:
    return 1.0, 1.0, 1.0, 3.0 if int(at / 0.03) % 7 == 3 else 1.0


def laps(at: float) -> tuple[float, float, float, float]:
    """State that grows while a lap lasts: no two stretches of a trial's length cost the same."""
    return 1.0, 1.0, 1.0, 1.0 + 5.0 * (at / 0.06 % 1.0)


def hot_key(at: float) -> tuple[float, float, float, float]:
    return (1.0, 1.0, 2.4, 1.3) if at >= 2.2 else (1.0, 1.0, 1.0, 1.0)


def dearer(at: float) -> tuple[float, float, float, float]:
    return (1.0, 0.55, 0.6, 10.0) if at >= 2.2 else (1.0, 1.0, 1.0, 1.0)


WORLDS = (
    World("segments pay", 0.6, 0.7),
    World("shards pay", 0.8, 0.58),
    World("nothing pays", 1.2, 1.6),
    World("all alike", 0.99, 1.01),
    World("drift", 0.6, 0.75, drift),
    World("bursts", 0.6, 0.7, bursts),
    World("laps of growing state", 0.6, 0.7, laps),
    World("a hot key", 0.75, 0.6, hot_key),
    World("ten times the cost", 1.1, 1.2, dearer),
    World("a neighbour", 0.6, 0.7, neighbour=lambda at: 2.2 <= at < 4.1),
)


BY_HAND = WHOLE, CUT, SHARDED = 0, 1, 2
"""Plans by hand."""

Totals = npt.NDArray[np.float64]


@dataclass
class Course:
    """A run by steps of half a millisecond: seconds from its start; tuples by then, its own and each fixed plan's."""

    at: Totals
    own: Totals
    fixed: list[Totals]

    def least(self, plans: Sequence[int]) -> float:
        """Its tuples to those of the best of the plans, in the worst half second of all, whenever that begins."""
        ends = np.searchsorted(self.at, self.at + WINDOW)
        begins = np.flatnonzero(ends < len(self.at))
        ends = ends[begins]
        best = np.max([self.fixed[plan][ends] - self.fixed[plan][begins] for plan in plans], axis=0)
        return float(((self.own[ends] - self.own[begins]) / best).min())


def course(world: World, pipeline: str, drains: bool, seed: int, seconds: float = 5.0) -> Course:
    """Of the controller in this world."""
    kinds, costs = PIPELINES[pipeline]
    draw = Random(f"{world.name}, {pipeline}, {seed}")
    run: Simulated
    whole = sum(costs)
    dearest = max(costs) / whole  # of its segment a cut takes that, whatever the world says

    def paces(bound: bool) -> list[float]:
        at = run.now * 1e-6
        of_whole, of_cut, of_sharded, of_all = world.then(at)
        crowded = world.neighbour(at)
        slower = (2.0 if bound else 1.5) if crowded else 1.0
        return [
            of_all * whole * each
            for each in (of_whole, max(of_cut * world.cut, dearest) * slower, of_sharded * world.sharded * slower)
        ]

    def time(heads: list[int], sharded: list[int]) -> float:
        kind = SHARDED if sharded else CUT if heads else WHOLE
        return paces(run.controller.bound)[kind] * draw.uniform(0.97, 1.03)

    run = Simulated(operators(*(KINDS[kind] for kind in kinds)), list(costs), time, drains=drains)
    at, own, fixed = [0.0], [0.0], [[0.0] for _ in BY_HAND]
    while run.now < seconds * 1e6:
        run.costs = [world.then(run.now * 1e-6)[3] * each for each in costs]
        run.wait = 0.5 if world.neighbour(run.now * 1e-6) else 0.0
        # A plan by hand has workers that stay on their cores, or that may move.
        before, pace = run.now, [min(paces(bound)[plan] for bound in (True, False)) for plan in BY_HAND]
        run.run(STEP)
        at.append(run.now * 1e-6)
        own.append(run.admitted)
        for plan in BY_HAND:
            fixed[plan].append(fixed[plan][-1] + (run.now - before) * 1e3 / pace[plan])
    return Course(np.array(at), np.array(own), [np.array(each) for each in fixed])


@pytest.mark.parametrize("seed", range(4))
def test_over_any_half_second_it_is_near_the_best_plan_by_hand_and_never_far_below_one_worker(seed: int) -> None:
    """In nearly all worlds, whatever the noise; a trial at the moment at which the world changes costs more."""
    found = [
        course(world, pipeline, drains, seed) for world in WORLDS for pipeline in PIPELINES for drains in (False, True)
    ]
    of_best = [each.least(BY_HAND) for each in found]
    assert sum(least < 0.95 for least in of_best) <= 0.1 * len(found)
    assert min(of_best) >= 0.8
    assert min(each.least([WHOLE]) for each in found) >= 0.96


def test_the_worst_half_second_is_found_wherever_it_begins() -> None:
    """A tenth of a second without a tuple, in the middle of two."""
    at = np.arange(0.0, 2.0, STEP)
    lost = np.clip(at - 0.95, 0.0, 0.1)
    found = Course(at, at - lost, [at, 0.5 * at, 0.9 * at])
    assert found.least([WHOLE]) == pytest.approx(0.8, abs=0.01)
    assert found.least([CUT]) == pytest.approx(1.6, abs=0.01)
    assert found.least(BY_HAND) == found.least([WHOLE])


def test_a_plan_that_drains_is_left_as_late_as_what_it_has_under_way_takes() -> None:
    """The first trial of a plan that is three times as slow loses more so; that is booked, and over time trials lose no
    more."""
    lost = {}
    for drains in (False, True):
        run = Simulated(keyed_pair(), COSTS, lambda heads, sharded: 636.0 if heads else 212.0, drains=drains)
        run.run(0.01)
        first = run.now - run.admitted * 0.212
        run.run(4.99)
        lost[drains] = first, run.now - run.admitted * 0.212  # microseconds
        assert run.changes > 2
    assert lost[True][0] > lost[False][0]
    assert lost[True][1] < 0.01 * 5e6 + 10_000


def test_what_trials_lose_is_what_the_account_has_earned() -> None:
    """However bad the other plans are."""
    for worse in (1.1, 2.0, 10.0, 100.0):

        def bad(heads: list[int], sharded: list[int], worse: float = worse) -> float:
            return 212.0 * worse if heads else 212.0

        run = Simulated(keyed_pair(), COSTS, bad)
        for _ in range(4):
            run.run(2.5)
            lost = run.now - run.admitted * 0.212  # microseconds
            # Earned so far, what it began with, and a look: 0.6 ms, or eight units, or those of 50 ms and one more.
            unit = run.controller.unit * worse * 0.212
            assert lost < 0.01 * run.now + 5_000 + max(600, min(8 * unit, 50_000 + unit))
        assert run.changes > 2


def test_a_trial_ends_with_the_account_however_long_workers_have_waited_for_their_cores() -> None:
    """Somebody has had a core for 40 ms: trials shall last four times as long, but may not lose more for that."""
    run = Simulated(keyed_pair(), COSTS, lambda heads, sharded: 636.0 if heads else 212.0)
    run.run(0.02)
    run.controller.waited += 40_000_000
    for _ in range(4):
        before, spent = run.now, run.admitted * 0.212  # microseconds
        run.run(0.25)
        lost = run.now - before - (run.admitted * 0.212 - spent)
        assert lost < 0.01 * 250_000 + 5_000 + 8 * 1024 * 0.636  # a trial ends at a look, which covers eight units
    assert run.changes > 2


def test_an_arm_that_nothing_is_lost_with_is_no_reason_to_change_all_the_time() -> None:
    """All three plans are as fast as each other: there is a best one, and trials are paid."""
    run = Simulated(keyed_pair(), COSTS, lambda heads, sharded: 212.0)
    run.run(5)
    assert run.whole_share() > 0.45


@pytest.mark.slow
def test_over_a_day_it_loses_what_trials_may_lose(probes: SimpleNamespace) -> None:
    """Each quarter of an hour something else is the best."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    best = 0.0
    for k in range(24 * 4):
        whole, cut = ((212.0, 110.0), (212.0, 260.0), (400.0, 230.0), (212.0, 200.0))[k % 4]
        before = run.now
        run.run_long(probes, 900.0, whole=whole, cut=cut)
        best += (run.now - before) * 1e3 / min(whole, cut)
    assert run.admitted / best >= 0.988
