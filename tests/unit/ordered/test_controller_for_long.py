"""The controller in runs that last: it never stops to choose, and what it remembers does not grow."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, segments_pay

pytestmark = pytest.mark.slow  # days are simulated

HOURS = 24
QUARTER = 900.0
TRIED = 0.06  # of the time in plans that lose a fifth of it: trials may lose 1 %
KEPT = 256  # of the first choices and of the latest, of plans and of sizes: see pyx/ordered/choice_log.pxd
CHEAP = [2.0] * 5


def test_all_day_plans_follow_the_load(probes: SimpleNamespace) -> None:
    """A quarter of an hour segments pay, then they do not, then little arrives, then tuples are cheap; and again."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    changes = []
    for _ in range(HOURS):
        before = run.changes
        for whole, cut, gap, costs, share in (
            (212.0, 110.0, 0.0, COSTS, 0.0),
            (212.0, 260.0, 0.0, COSTS, 1.0),
            (212.0, 110.0, 212.0 * 5, COSTS, 1.0),
            (10.0, 30.0, 0.0, CHEAP, 1.0),
        ):
            run.gap, run.costs = gap, costs
            assert run.run_long(probes, QUARTER, whole=whole, cut=cut) == pytest.approx(share, abs=TRIED)
        changes.append(run.changes - before)
    assert changes == pytest.approx([changes[0]] * HOURS, rel=0.1), "as often at the end of the day as at its beginning"


def test_all_day_at_a_rate_plans_follow_the_load(probes: SimpleNamespace) -> None:
    """What operators cost is seen, too, where one worker is never tried since it could not keep up."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, how={"interval": 140.0})
    for _ in range(HOURS):
        for whole, cut, costs, share in (
            (212.0, 110.0, COSTS, 0.0),
            (10.0, 30.0, CHEAP, 1.0),
            (212.0, 110.0, COSTS, 0.0),
            (125.0, 160.0, [1.0, 60.0, 60.0, 2.0, 2.0], 1.0),  # segments fall behind, one worker does not
        ):
            run.costs = costs
            assert run.run_long(probes, QUARTER, whole=whole, cut=cut) == pytest.approx(share, abs=0.01)
            assert run.now * 1e3 / 140.0 - run.admitted < 10_000, "it is still behind"


@pytest.mark.parametrize("interval", [0.0, 140.0])
def test_a_controller_that_has_looked_for_years_chooses_as_a_new_one(probes: SimpleNamespace, interval: float) -> None:
    """Three billion times: more than 32 bits can count."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, how={"interval": interval})
    run.run_long(probes, 10, whole=212.0, cut=110.0)
    probes.age(run.controller, 3_000_000_000)
    assert run.run_long(probes, 60, whole=212.0, cut=110.0) < TRIED
    run.costs = CHEAP
    run.run_long(probes, 20, whole=10.0, cut=30.0)
    assert run.run_long(probes, 60, whole=10.0, cut=30.0) > 1 - TRIED


def test_of_many_choices_the_first_and_the_latest_are_kept_and_numbered(probes: SimpleNamespace) -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run_long(probes, QUARTER, whole=212.0, cut=260.0)
    before = [each[:2] for each in run.controller.chosen()]
    assert len(before) > KEPT, "there are not enough to tell"
    run.run_long(probes, 3 * QUARTER, whole=212.0, cut=260.0)
    found = [each[:2] for each in run.controller.chosen()]
    numbers = [number for number, _ in found]
    assert found[:KEPT] == before[:KEPT]
    assert len(numbers) <= 4 * KEPT < numbers[-1]
    assert numbers == sorted(set(numbers))
    assert numbers[-KEPT:] == list(range(numbers[-1] - KEPT + 1, numbers[-1] + 1))
    assert [tick for _, tick in found] == sorted(tick for _, tick in found)
    heads = run.controller.chosen()[-1][4]
    assert heads == run.plan[0], "the last one is in effect"


def test_choices_of_size_leave_room_for_those_of_plans(probes: SimpleNamespace) -> None:
    """The unit grows whenever a stream at a rate is not kept up with. Plans change at first, in between and at last."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, how={"interval": 140.0})
    for _ in range(2):
        run.costs = COSTS
        run.run_long(probes, 20, whole=212.0, cut=110.0)
        assert len(run.plan[0]) > 1
        changes = run.changes
        for _ in range(3 * KEPT):
            run.run_long(probes, 0.1, whole=212.0, cut=160.0)
            run.run_long(probes, 0.1, whole=212.0, cut=100.0)
        assert run.changes == changes
        run.costs = CHEAP
        run.run_long(probes, 20, whole=10.0, cut=30.0)
        assert run.plan[0] == []
    found = run.controller.chosen()
    plans = [each for k, each in enumerate(found) if k == 0 or each[4:6] != found[k - 1][4:6]]
    assert len(plans) == 1 + run.changes
    assert len(found) < plans[-1][0], "all were kept: the test tests nothing"
