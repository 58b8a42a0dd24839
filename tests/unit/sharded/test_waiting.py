"""Workers that wait for a core: seen and acted on within 20 ms, and over when it is over."""

from __future__ import annotations

import threading
import time

import pytest
from controller_simulator import COSTS, Simulated, keyed_pair, segments_pay
from streambench.pyx.machine.run_queue import waited_here

from streambench.workloads.micro import MicroSpec, OperatorSpec, run_micro


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
    run = Simulated(keyed_pair(), COSTS, segments_pay)
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


def test_where_the_system_tells_no_waits_all_goes_on() -> None:
    run = Simulated(keyed_pair(), COSTS, segments_pay)
    run.run(2)
    assert run.controller.bound
    assert run.whole_share() < 0.05


def test_what_a_thread_has_waited_only_grows() -> None:
    before = waited_here()
    if before < 0:
        pytest.skip("the system does not tell how long threads wait")
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            pass

    threads = [threading.Thread(target=spin) for _ in range(2)]
    for each in threads:
        each.start()
    time.sleep(0.02)
    stop.set()
    for each in threads:
        each.join()
    assert waited_here() >= before >= 0


def test_a_run_whose_workers_move_has_the_same_output() -> None:
    """Whoever beside it makes them wait, or nobody: what comes out is checked in the run."""
    spec = MicroSpec((OperatorSpec("ps", 0.2), OperatorSpec("ps", 0.2)), tuples=200_000, tuple_size=2)
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            sum(range(1000))

    burner = threading.Thread(target=burn)
    burner.start()
    try:
        run_micro(spec, workers=2)
    finally:
        stop.set()
        burner.join()
