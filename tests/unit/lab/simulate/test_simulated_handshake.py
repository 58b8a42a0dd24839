"""A handshake join on simulated cores is the join itself, tuples passed on from core to core, at times that add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.simulate.simulated_cores import SimulatedCores

from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.simulated import MEASURE, at_full_speed, profile_point
from streambench.lab.measure.joins.simulation import points, simulate_join
from streambench.lab.measure.joins.throughput import Point
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.pyx.join.handshake_crew import HandshakeCrew
from streambench.pyx.join.join_crew import JoinCrew
from streambench.pyx.simulate.costs import Costs

WINDOW, STEADY = 400, 1_000
STREAMS = PaperStreams(WINDOW + STEADY)
LINES = dict.fromkeys(("pause", "to_yield", "wake_up"), 0.0)
FREE = Times(near_line=0, far_line=0, stream_line=0, **LINES)
DEAR = Times(near_line=20_000, far_line=20_000, stream_line=2_000, **LINES)
LEFT, RIGHT = range(2)
COMPARED = 100  # tuples of a piece that the costs are of
Rows = tuple[list[int], list[int]]


def definition() -> Any:
    return STREAMS.definition(WINDOW, STEADY)


def costs(comparing: float = 1_000.0) -> Costs:
    """``comparing``: ns for a tuple that is compared with `COMPARED`; one that only fills the windows takes nothing."""
    work = [(Work.APPLY, side, compared) for side in (LEFT, RIGHT) for compared in (0, COMPARED)]
    return Costs(np.array(work, dtype=np.int64), np.array([(0.0, comparing * (each[2] > 0)) for each in work]))


def simulated(threads: int, times: Times, comparing: float = 1_000.0) -> tuple[SimulatedCores, HandshakeCrew, Rows]:
    machine, crew = SimulatedCores(costs(comparing), times.to_dict()), HandshakeCrew(definition(), threads)
    with machine:
        crew.run()
    left, right = crew.matches()
    return machine, crew, (left.tolist(), right.tolist())


def expected() -> Rows:
    crew = JoinCrew(definition(), "index")
    crew.run()
    left, right = crew.matches()
    return left.tolist(), right.tolist()


@pytest.mark.parametrize("times", [FREE, DEAR], ids=["free lines", "dear lines"])
def test_the_rows_are_scalejoins_on_any_number_of_cores(times: Times) -> None:
    right = expected()
    for threads in (1, 2, 3, 8, 48):
        assert simulated(threads, times)[2] == right, threads


def test_the_same_costs_give_the_same_run() -> None:
    first, second = (simulated(5, DEAR) for _ in range(2))
    assert (first[0].seconds, first[0].events, first[1].compared) == (
        second[0].seconds,
        second[0].events,
        second[1].compared,
    )


def test_comparing_is_shared_and_lines_are_not_free() -> None:
    alone = simulated(1, FREE)
    assert alone[1].comparing_seconds == pytest.approx(sum(alone[1].compared) / COMPARED * 1e-6, rel=0.01)
    four = simulated(4, FREE)
    assert four[1].comparing_seconds < 0.4 * alone[1].comparing_seconds
    assert sum(four[1].compared) == pytest.approx(sum(alone[1].compared), rel=0.05)
    dear = simulated(4, DEAR)
    assert dear[1].comparing_seconds > 2 * four[1].comparing_seconds
    assert dear[0].where()["waited"] > four[0].where()["waited"] == 0.0


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_first_of_a_line_is_timed_alone(threads: int) -> None:
    core, crew = MeasuredCore(), HandshakeCrew(definition(), line=threads)
    with core:
        crew.run()
    work, spans = core.rows()
    assert {(kind, place) for kind, place, *_ in work.tolist()} == {(Work.APPLY, LEFT), (Work.APPLY, RIGHT)}
    assert len(work) == 2 * STEADY  # what fills the windows is there
    assert work[:, 2].sum() == crew.compared[0]
    assert crew.compared[0] * threads == pytest.approx(simulated(1, FREE)[1].compared[0], rel=0.05)
    assert (spans >= 0).all()
    found = set(zip(*(side.tolist() for side in crew.matches()), strict=True))
    assert found <= set(zip(*expected(), strict=True))


@pytest.mark.parametrize(("threads", "line"), [(2, 2), (1, -1)])
def test_only_one_thread_can_be_alone(threads: int, line: int) -> None:
    with pytest.raises(ValueError, match="can be the first of a line"):
        HandshakeCrew(definition(), threads, line=line)


def test_a_simulated_run_is_checked_and_named_by_its_join() -> None:
    wanted = points(["scale", "handshake"], ["codes", "scan"], [0.5], [2])
    assert [(each.join, each.tier) for each in wanted] == [("scale", "codes"), ("scale", "scan"), ("handshake", "scan")]
    (one,) = points(["handshake"], ["scan", "index"], [0.5], [3])
    assert one == Point("handshake", "scan", 3, 0.5)
    machine = Machine(FREE)
    found = at_full_speed(one, STREAMS, WINDOW, STEADY, machine, profile_point(one, definition(), machine))
    assert (found["measure"], found["join"]) == (MEASURE, "handshake")
    assert found["simulated"]
    assert found["verified"]
    assert len(found["per_thread"]) == 3
    assert found["comparisons_per_second"] == pytest.approx(definition().pairs / found["seconds"])


def test_it_has_no_gate_and_so_no_latency() -> None:
    found = simulate_join(
        points(["scale", "handshake"], ["scan"], [0.1], [2]), Machine(FREE), most_tuples=2_000, latency=True
    )
    assert [(each["join"], each["measure"]) for each in found] == [
        ("scale", MEASURE),
        ("scale", "simulated latency"),
        ("handshake", MEASURE),
    ]
