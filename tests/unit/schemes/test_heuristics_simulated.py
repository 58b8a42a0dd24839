"""What the heuristics do to a whole pipeline, in a simulation that calls the runtime's own code."""

from __future__ import annotations

import itertools

import pytest
from pipeline_simulator import Simulated, Simulation

from streambench.execution.options import HEURISTICS
from streambench.pyx.schemes import heuristics

CAPACITY = 200.0


def simulate(name: str, workers: int) -> tuple[Simulation, float]:
    operators = [
        Simulated(1.0),
        Simulated(2.0, selectivity=3),
        Simulated(1.0, max_workers=4),
        Simulated(0.5, max_workers=1),
    ]
    simulation = Simulation(heuristics.make(name, CAPACITY), operators, workers, tuples=3000, credit=400)
    return simulation, simulation.run()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*HEURISTICS, "lp:8", "lp:4000"])  # 4000: more than there ever are
@pytest.mark.parametrize("workers", [1, 2, 4, 16])
def test_every_heuristic_brings_all_tuples_through_and_wastes_no_worker_of_one(name: str, workers: int) -> None:
    work = 3000 * (1.0 + 2.0 + 3 * 1.0 + 3 * 0.5)
    _, time = simulate(name, workers)
    assert time >= work / workers - 1e-6
    assert time >= 3000 * 3 * 0.5  # the last operator takes one worker at most
    if workers == 1:
        assert time == pytest.approx(work)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_lp_keeps_the_shortest_worklists(workers: int) -> None:
    waiting = {name: simulate(name, workers)[0].mean_worklists() for name in ("qst", "lp", "et", "ct")}
    assert min(waiting, key=lambda name: waiting[name]) == "lp"


@pytest.mark.parametrize("workers", [1, 2])
def test_lps_worklists_are_as_long_as_its_least_worklist_makes_them(workers: int) -> None:
    waiting = [simulate(name, workers)[0].mean_worklists() for name in ("lp", "lp:8", "lp:16", "lp:64")]
    assert waiting == sorted(set(waiting))
    assert waiting[0] == simulate("lp:1", workers)[0].mean_worklists()


def test_qst_works_on_one_operator_at_a_time_and_lp_goes_with_the_tuples() -> None:
    def changes(name: str) -> int:
        taken = simulate(name, 1)[0].taken
        return sum(first != second for first, second in itertools.pairwise(taken))

    assert changes("qst") < changes("lp")


def test_ct_gives_every_operator_time_in_proportion_to_its_cost_per_stream_tuple() -> None:
    simulation, _ = simulate("ct", 2)
    spent = [simulation.taken.count(place) for place in range(4)]
    assert spent[1] > spent[0]  # visits of equal length: 2.0 against 1.0 per stream tuple
    assert spent[2] > spent[1]  # 3 x 1.0 against 2.0


def test_qst_holds_the_output_queues_near_their_thresholds() -> None:
    simulation, _ = simulate("qst", 1)
    thresholds = simulation.heuristic.thresholds([1, 3, 1, 1])
    slices = [10, 15, 10]  # what one visit of the operator before adds at most
    for place, added in enumerate(slices):
        waiting = [worklists[place] for worklists in simulation.trail]
        assert thresholds[place] <= max(waiting) <= thresholds[place] + added
