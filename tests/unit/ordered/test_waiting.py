"""Workers that wait for a core: seen and acted on within 20 ms, and over when it is over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from controller_simulator import COSTS, CREDIT, Simulated, keyed_pair, segments_pay

from streambench.execution import engines
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.host.limits import allowed_cpus
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource


def disturbed() -> Simulated:
    """Half a second without anybody else, and then a neighbour who takes half of a core."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(0.5)
    assert run.controller.bound
    assert len(run.plan[0]) > 1
    run.wait = 0.5
    run.time = lambda heads, sharded: 260.0 if heads else 212.0
    return run


def test_workers_that_wait_are_let_go_and_the_plan_is_whole_within_20_ms() -> None:
    run = disturbed()
    until = run.now + 20_000
    while run.plan[0] and run.now < until:
        run.run(0.0005)
    assert not run.controller.bound
    assert run.plan == ([], [])


def test_meanwhile_the_plan_stays_whole_but_for_trials() -> None:
    run = disturbed()
    run.run(0.02)
    run.spent.clear()
    run.run(2)
    assert not run.controller.bound
    assert 0.9 < run.whole_share() < 1, "nobody asks whether it is over"


def test_a_trial_is_longer_than_what_somebody_else_takes_at_a_time() -> None:
    """Else it finds a whole core, or none."""
    run = disturbed()
    run.run(0.1)
    waits = 4e-3
    begun, longest = 0.0, 0.0
    run.wait = waits / 5e-3  # of a look
    for _ in range(4000):
        before = run.plan
        run.run(0.0005)
        if run.plan[0] and not before[0]:
            begun = run.now
        if before[0] and not run.plan[0]:
            longest = max(longest, run.now - begun)
    assert longest >= 2 * 1e6 * waits


def test_when_it_is_over_each_has_its_core_again_and_the_plan_is_back() -> None:
    run = disturbed()
    run.run(1)
    run.wait, run.time = 0.0, segments_pay
    run.run(1)
    assert run.controller.bound
    run.spent.clear()
    run.run(1)
    assert run.whole_share() < 0.05


def test_the_choices_tell_when_workers_may_move() -> None:
    run = disturbed()
    run.run(0.02)
    assert [each[-1] for each in run.controller.chosen()][-1] is False
    assert all(each[-1] for each in run.controller.chosen() if each[1] < 0.5e9)


def test_after_one_wait_workers_may_move_and_the_plan_stays() -> None:
    """Waits of some milliseconds come on any machine, and to change the plan for them costs more than they do."""
    run = Simulated(keyed_pair(), COSTS, lambda heads, sharded: 110.0 if heads and not sharded else 212.0)
    run.run(1)
    assert len(run.plan[0]) > 1
    for _ in range(20):
        changes = run.changes
        run.controller.waited += 2_000_000  # ns
        run.run(0.0001)  # until the next look
        assert not run.controller.bound
        run.run(0.07)  # of a trial of one worker nothing is known of waits
        assert run.controller.bound
        assert run.changes - changes <= 2, "but for a trial"
    assert run.whole_share() < 0.1


def test_a_short_wait_now_and_then_is_nobody_elses_doing() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(0.5)
    for _ in range(50):
        run.wait = 0.05
        run.run(0.005)
        run.wait = 0.0
        run.run(0.02)
        assert run.controller.bound


def test_a_stream_at_a_rate_that_one_worker_cannot_keep_up_with_is_not_left_to_one() -> None:
    """Its workers are let go all the same."""
    run = Simulated(keyed_pair(), COSTS, segments_pay, gap=140.0, how={"interval": 140.0})
    run.run(0.5)
    best = run.plan
    assert len(best[0]) > 1
    run.wait = 0.3
    run.run(0.1)
    assert (run.controller.bound, run.plan) == (False, best)


def with_segments() -> tuple[Simulated, float]:
    """A run in the plan of segments, and the ns that the units that are under way may take."""
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(1)
    assert len(run.plan[0]) > 1
    return run, CREDIT * run.controller.unit * run.workers * segments_pay(*run.plan)


def test_a_look_is_overdue_by_what_it_is_late_beyond_the_units_under_way(probes: SimpleNamespace) -> None:
    run, under_way = with_segments()
    due = run.controller.next_decision
    late = due + int(under_way)
    assert probes.overdue(run.controller, due) == 0
    assert probes.overdue(run.controller, late - int(0.1 * under_way)) == 0
    assert probes.overdue(run.controller, late + 50_000_000) == pytest.approx(50_000_000, abs=0.01 * under_way)


def test_the_look_of_one_worker_is_never_overdue(probes: SimpleNamespace) -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay, how={"free_plan": False})
    run.run(0.1)
    assert run.plan == ([], [])
    assert probes.overdue(run.controller, 10**12) == 0


def test_where_the_system_tells_no_waits_a_look_that_is_overdue_tells(probes: SimpleNamespace) -> None:
    """Somebody has not come back with a turn for 20 ms, again and again: workers may move, then the plan is whole."""
    run, under_way = with_segments()
    for _ in range(3):
        late = run.controller.next_decision + int(under_way) + 20_000_000
        run.controller.waited += max(probes.Queues(2).longest(), probes.overdue(run.controller, late))
        while run.controller.waited > 0:
            run.run(0.0001)  # until the look
        assert not run.controller.bound
    assert run.plan == ([], [])


@pytest.mark.skipif(len(allowed_cpus()) < 2, reason="with one core nobody moves")
def test_a_run_whose_workers_move_has_the_same_output(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first look lets them go, each of the others binds them or lets them go, and may change the plan."""
    controllers: list[Any] = []

    class Engine(engines.OrderedEngine):  # type: ignore[misc]
        def __init__(self, operators: list[Any], partitions: list[int], *, workers: int, **how: Any) -> None:
            super().__init__(operators, partitions, workers=workers, **how)
            self.controller = probes.Restless(operators, partitions, workers=workers, **self.how)
            self.controller.vary(seed=1, one_in=4, largest=64)
            controllers.append(self.controller)

    monkeypatch.setattr(engines, "OrderedEngine", Engine)

    def ran(engine: str, workers: int) -> tuple[str, int]:
        source = TableSource([np.arange(100_000) % 97, np.arange(100_000)], ["key", "value"])
        moved, sink = probes.Whereabouts(), TableSink(keep=False)
        execute(Pipeline([source, moved, probes.KeyedSum(), sink]), Options(engine=engine, workers=workers))
        return sink.digest, moved.most_cores

    expected, _ = ran("serial", 1)
    assert ran("ordered", 2) == (expected, len(allowed_cpus())), "workers were let go, and no tuple was out of order"
    assert controllers[-1].moves > 0
