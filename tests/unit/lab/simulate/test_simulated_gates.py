"""Gates and case studies on simulated cores: every reader finds the order, and threads share evenly."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work

from streambench.lab.measure.joins import simulated_gates, simulated_studies
from streambench.lab.measure.joins.case_studies import CASE_STUDIES, CaseStudy, constant
from streambench.lab.measure.joins.gates import KINDS, GatePoint, times_of
from streambench.lab.measure.joins.simulated_gates import points, profile, simulated_gate
from streambench.lab.measure.joins.simulated_studies import simulated_study
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.pyx.join import gate_traffic, gate_traffic_told
from streambench.pyx.join.told_gates import make_told_gate
from streambench.pyx.simulate.costs import Costs

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=4_000)


@pytest.mark.parametrize("kind", KINDS)
def test_every_reader_finds_the_order_on_simulated_cores(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_gates, "TUPLES", 3_000)
    monkeypatch.setattr(simulated_gates, "LEAST", 200)
    for sources, readers in ((1, 1), (3, 2), (7, 5)):
        found = simulated_gate(GatePoint(kind, sources, readers), Machine(TIMES))
        assert found["verified"]
        assert found["simulated"]
        assert found["tuples_per_second"] > 0
    assert found["waited"] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_one_thread_that_is_all_of_them_finds_the_order_too(kind: str) -> None:
    times = times_of(3, 900)
    for module in (gate_traffic, gate_traffic_told):
        crew = module.GateTraffic(kind, times, 2, alone=True)
        crew.run()
        assert crew.sums == [gate_traffic.sum_of(times)] * 2
    with pytest.raises(ValueError, match="there is no gate 'list': choose from ring, skip-list"):
        make_told_gate("list", [("int64",)])


def test_the_same_costs_and_seed_give_the_same_run() -> None:
    times = times_of(4, 2_000)
    costs = profile(GatePoint("skip-list", 4, 3), times)

    def once() -> tuple[float, int]:
        cores = Machine(TIMES).cores(costs)
        with cores:
            gate_traffic_told.GateTraffic("skip-list", times, 3).run()
        return cores.seconds, cores.events

    assert once() == once()


def test_a_store_of_the_skip_list_waits_for_its_line() -> None:
    """Nothing but lines' ways takes time worth mentioning, and a tuple takes some two and a half."""
    costs = Costs(np.array([[Work.FILL, 0, 1, 0], [Work.APPLY, 0, 1, 0]]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    cores = Machine(replace(TIMES, near_line=1_000, far_line=2_500)).cores(costs)
    with cores:
        gate_traffic_told.GateTraffic("skip-list", times_of(1, 20_000)).run()
    assert cores.seconds > 2 * 1_000e-9 * 20_000, "1.4 where the source does not wait"


def test_what_an_addition_takes_is_the_thread_s_time_and_not_what_others_took(monkeypatch: pytest.MonkeyPatch) -> None:
    class Waiting(gate_traffic.GateTraffic):
        def run(self) -> None:
            time.sleep(0.2)  # as if others had the core
            super().run()

    monkeypatch.setattr(simulated_gates, "PlainTraffic", Waiting)
    monkeypatch.setattr(simulated_gates, "RUNS", 1)
    assert simulated_gates._seconds_without_clocks(GatePoint("ring", 1, 1), times_of(1, 100)) < 0.2


def test_points_have_no_more_threads_than_there_are_cores() -> None:
    found = points(48)
    assert {point.kind for point in found} == set(KINDS)
    assert max(point.sources + point.readers for point in found) == 48
    assert all(point.sources + point.readers <= 5 for point in points(5))


def test_a_simulated_case_study_has_as_many_threads_as_the_papers_and_shares_evenly() -> None:
    study = CASE_STUDIES["8a"]
    found = simulated_study(study, "simd", 0.05, 1, Machine(TIMES))
    assert (found["measure"], found["simulated"], found["verified"]) == ("simulated skew 8a", True, True)
    assert len(found["per_thread"]) == study.threads
    assert found["per_thread_deviation"] < 5
    assert found["seconds"] == pytest.approx(0.05, rel=0.2)
    seconds = found["samples"]["seconds"]
    assert seconds == sorted(seconds)
    assert len(found["samples"]["compared"]) == len(seconds)


def test_threads_that_sleep_until_a_tuple_is_due_let_time_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wakes at the very moment from which on a tuple is waited for awake would sleep for no time, for ever, where
    looking takes none: here neither work nor lines do."""
    work = np.array([[kind, place, 1, 0] for kind in Work for place in range(4)])
    costs = Costs(work, np.zeros((len(work), 2)))
    monkeypatch.setattr(simulated_studies, "profile", lambda *arguments, **options: costs)
    study = CaseStudy("rare", "tuples far apart", ((constant(20),), (constant(20),)), 2)
    free = replace(TIMES, near_line=0, far_line=0, stream_line=0)
    found = simulated_study(study, "simd", 0.3, 1, Machine(free))
    assert found["verified"]
    assert found["seconds"] == pytest.approx(0.3, rel=0.2)
