"""A join on simulated cores is the join itself: its output and its shares to the byte, at times that add up."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import numpy as np
import pytest
from streambench.pyx.join.arrivals import Arrivals
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.simulate.simulated_cores import SimulatedCores

from streambench.errors import StreambenchError
from streambench.lab.measure.joins import simulated as joins_simulated
from streambench.lab.measure.joins import simulated_curve, simulation
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.simulated import (
    LATENCY,
    MEASURE,
    at_a_rate,
    at_full_speed,
    attempt,
    profile,
    steady_of,
)
from streambench.lab.measure.joins.simulated_curve import LOOKS, ROUNDS, Curve
from streambench.lab.measure.joins.simulation import points, simulate_join
from streambench.lab.measure.joins.sustained import Sustained
from streambench.lab.measure.joins.throughput import Point
from streambench.lab.measure.validation.beside_profile import WATCHED
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.pyx.join.join_crew import TIERS, JoinCrew
from streambench.pyx.simulate.costs import Costs

WINDOW, STEADY = 600, 2_000
STREAMS = PaperStreams(WINDOW + STEADY)
TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)
NOTHING = Times(0, 0, 0, 0, 0, 0)
STORING, COMPARING, MERGING, LETTING_IN = range(4)
Rows = tuple[list[int], list[int]]


def definition() -> Any:
    return STREAMS.definition(WINDOW, STEADY)


def costs(comparing: float = 5_000.0, merging: float = 100.0, spread: float = 0.0) -> Costs:
    kinds = {(Work.APPLY, STORING): 500.0, (Work.APPLY, COMPARING): comparing, (Work.GATHER, MERGING): merging}
    kinds |= {(Work.FILL, LETTING_IN): 200.0}
    work = [(*kind, 0) for kind in kinds for _ in range(3)]  # of 0 tuples: no cost is scaled
    spans = [[0.0, ns + by] for ns in kinds.values() for by in (-spread * ns, 0.0, spread * ns)]
    return Costs(np.array(work, dtype=np.int64), np.array(spans))


def run(crew: JoinCrew, machine: SimulatedCores) -> tuple[SimulatedCores, Rows]:
    with machine:
        crew.run()
    left, right = crew.matches()
    return machine, (left.tolist(), right.tolist())


def real(threads: int = 1, tier: str = "index") -> tuple[Rows, list[int]]:
    crew = JoinCrew(definition(), tier, threads)
    crew.run()
    left, right = crew.matches()
    return (left.tolist(), right.tolist()), crew.compared


@pytest.mark.parametrize("tier", TIERS)
def test_matches_and_what_each_thread_looks_at_are_those_of_real_threads(tier: str) -> None:
    expected, _ = real()
    assert expected[0]
    for threads in (1, 4, 19):
        crew = JoinCrew(definition(), tier, threads)
        assert run(crew, SimulatedCores(costs(spread=0.9), TIMES.to_dict()))[1] == expected
        assert crew.compared == real(threads, tier)[1]


def test_on_one_core_the_time_is_the_sum_of_the_costs() -> None:
    crew = JoinCrew(definition(), "simd")
    machine, _ = run(crew, SimulatedCores(costs(), NOTHING.to_dict()))
    filling, comparing = (-(-2 * tuples // crew.batch) for tuples in (WINDOW, STEADY))
    assert machine.seconds == pytest.approx(1e-9 * (filling * 600 + comparing * 5_100))
    assert crew.comparing_seconds == pytest.approx(1e-9 * (comparing * 5_100 + filling * 100), rel=0.01)


def test_the_same_costs_and_seed_give_the_same_run() -> None:
    def once(seed: int) -> tuple[float, int]:
        cores = SimulatedCores(costs(spread=0.9), TIMES.to_dict(), 3, seed)
        machine, _ = run(JoinCrew(definition(), "codes", 5), cores)
        return machine.seconds, machine.events

    assert once(1) == once(1)
    assert once(1) != once(2)


def test_a_dear_merge_saturates_and_lines_that_are_far_cost_time() -> None:
    machine, _ = run(JoinCrew(definition(), "codes", 8), SimulatedCores(costs(1_000, 9_000), TIMES.to_dict()))
    assert machine.where()["operators"][MERGING] > 0.8
    near, far = (
        run(JoinCrew(definition(), "codes", 8), SimulatedCores(costs(1_000), TIMES.to_dict(), cores))[0].seconds
        for cores in (8, 1)
    )
    assert far > 1.05 * near


def test_the_shares_of_a_join_are_all_of_it_and_one_thread_does_one() -> None:
    expected, compared = real(5, "codes")
    found: list[tuple[int, int]] = []
    for number in range(5):
        crew = JoinCrew(definition(), "codes", share=(number, 5))
        crew.run()
        assert crew.compared == [compared[number]]
        found += zip(*(side.tolist() for side in crew.matches()), strict=True)
    assert sorted(found) == sorted(zip(*expected, strict=True))
    for share, threads in (((5, 5), 1), ((-1, 5), 1), ((0, 5), 2)):
        with pytest.raises(ValueError, match="a share is the k-th of n"):
            JoinCrew(definition(), "codes", threads, share=share)


def test_a_profile_has_the_pieces_of_a_share_and_of_the_merge() -> None:
    core = MeasuredCore()
    with core:
        JoinCrew(definition(), "codes", share=(1, 3)).run()
    work, spans = core.rows()
    assert {(kind, place) for kind, place, *_ in work.tolist()} == {
        (Work.APPLY, STORING),
        (Work.APPLY, COMPARING),
        (Work.GATHER, MERGING),
    }
    assert work[work[:, 1] == COMPARING][:, 2].sum() == 2 * STEADY
    assert (spans >= 0).all()
    machine = SimulatedCores(costs(), TIMES.to_dict(), timed=Work.GATHER)
    crew = JoinCrew(definition(), "codes", 3)
    run(crew, machine)
    merged, _ = machine.rows()
    assert set(merged[:, 0].tolist()) == {Work.GATHER}
    assert merged[:, 2].sum() == len(real()[0][0])


def test_what_arrives_at_a_rate_lasts_as_long_as_it_takes_to_arrive() -> None:
    rows = np.arange(WINDOW, WINDOW + STEADY)
    due = np.arange(STEADY) * 20_000
    joined = definition()
    arrivals = Arrivals(joined, [(side, rows, rows, due) for side in (0, 1)])
    crew = JoinCrew(joined, "codes", 6, arrivals=arrivals)
    machine, found = run(crew, SimulatedCores(costs(1_000), TIMES.to_dict()))
    assert found == real()[0]
    assert crew.comparing_seconds == pytest.approx(due[-1] * 1e-9, rel=0.05)
    assert machine.where()["workers"] < 0.5


def test_a_simulated_run_is_checked_and_called_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(TIMES)
    (one,) = points(["scale"], ["index"], [1.0], [4])
    found = at_full_speed(one, STREAMS, WINDOW, STEADY, machine)
    assert (found["measure"], found["simulated"], found["verified"], found["threads"]) == (MEASURE, True, True, 4)
    assert len(found["per_thread"]) == 4
    assert found["comparisons_per_second"] == pytest.approx(definition().pairs / found["seconds"])
    paced = at_a_rate(one, STREAMS, WINDOW, 50_000.0, machine)
    assert paced["measure"] == LATENCY
    assert paced["latency"]["p50"] > 0
    monkeypatch.setattr(joins_simulated.PaperStreams, "digest", lambda *args: str(len(args[1][0]) + id(args[1])))
    with pytest.raises(StreambenchError, match="simulated is wrong"):
        at_full_speed(one, STREAMS, WINDOW, STEADY, machine)


def test_the_rate_that_is_sustained_is_that_of_its_window() -> None:
    found = simulate_join(points(["scale"], ["codes"], [0.5], [1, 2]), Machine(TIMES), most_tuples=4_000)
    assert [each["threads"] for each in found] == [1, 2]
    for each in found:
        assert each["window_tuples"] == round(each["sustainable_rate"] * 0.5) <= 4_000


def test_interruptions_are_watched_for_all_points_beside_real_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def beside(*arguments: Any) -> dict[str, Any]:
        given.append(arguments[-1])
        return {}

    monkeypatch.setattr(simulation, "beside", beside)
    monkeypatch.setattr(simulation, "fits_here", lambda threads: True)
    monkeypatch.setattr(Curve, "sustained", lambda *_: Sustained(500.0, 500, True))
    monkeypatch.setattr(Curve, "steady", lambda *_: 500)
    simulate_join(points(["scale"], ["index"], [1.0], [1, 2]), Machine(TIMES), most_tuples=500, beside_real=True)
    assert given[0] is given[1] is not None
    assert given[0].maxlen == WATCHED


def test_more_cores_find_a_profile_of_their_own_shares() -> None:
    asked: list[Any] = []

    class Told(JoinCrew):  # what the profile asks for
        def __init__(self, *args: Any, share: Any = None, **more: Any) -> None:
            super().__init__(*args, share=share, **more)
            asked.append((share, args[2] if len(args) > 2 else 1))

    usual = joins_simulated.JoinCrew
    joins_simulated.JoinCrew = Told  # type: ignore[misc]
    try:
        profile(definition(), "codes", 6, Machine(TIMES))
    finally:
        joins_simulated.JoinCrew = usual  # type: ignore[misc]
    attempts = joins_simulated.ATTEMPTS
    assert sorted(asked[:-1]) == [((0, 6), 1)] * attempts + [((3, 6), 1)] * attempts
    assert asked[-1] == (None, 6)


def test_shares_of_several_threads_are_timed_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=60)

    def share(*_: Any) -> Any:
        both.wait()  # raises where the other one does not come
        return np.array([[Work.APPLY, COMPARING, 10, 0]]), np.ones((1, 2))

    monkeypatch.setattr(joins_simulated, "_share", share)
    monkeypatch.setattr(joins_simulated, "_first_of_a_line", share)
    monkeypatch.setattr(joins_simulated, "allowed_cpus", lambda: [0, 1])
    for join in ("scale", "handshake"):
        work, spans = attempt(Point(join, "scan", 2, 1.0), definition())
        assert len(work) == len(spans) == 2


def test_the_middle_attempt_counts_without_what_was_interrupted() -> None:
    work = np.array([[Work.APPLY, 0, 10, 0]] * 9, dtype=np.int64)
    fast, usual, slow = (np.full((9, 2), each) for each in (3e3, 4e3, 9e3))
    usual[4, 1] = 5e4
    attempts = [
        joins_simulated._timed([partial(lambda *rows: rows, work, spans)], 2e4) for spans in (slow, usual, fast)
    ]
    found, spans = joins_simulated.middle(attempts)
    assert len(found) == len(spans) == 8
    assert (spans == 4e3).all()


def test_numbers_of_cores_are_profiled_by_turns_at_one_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    curve_of = points(["scale"], ["scan"], [1.0], [1, 4])
    asked: list[int] = []

    def paced(point: Point, of: Any) -> Any:
        """A processor that is twice as slow in the first three rounds as before and after."""
        asked.append(point.threads)
        turn = len(asked) - len(curve_of) * LOOKS
        ns = 20.0 if 1 <= turn <= 6 else 10.0
        work = [(Work.APPLY, STORING, 0, 0), (Work.APPLY, COMPARING, 256, 0)]
        return np.array(work), np.array([[0.0, 0.0], [0.0, ns * 256 * of.largest_window / point.threads]])

    def merged(rows: Any, *_: Any) -> Any:
        return joins_simulated.joined([rows, (np.array([[Work.GATHER, MERGING, 0, 0]]), np.array([[0.0, 100.0]]))])

    monkeypatch.setattr(simulated_curve, "attempt", paced)
    monkeypatch.setattr(joins_simulated, "with_merging", merged)
    curve = Curve(curve_of, Machine(NOTHING), most=1_500)
    one, four = (curve.sustained(point) for point in curve_of)
    assert asked[len(curve_of) * LOOKS :] == [1, 4, 4, 1, 1, 4, 4, 1, 1, 4]
    runs = []
    for point in curve_of:
        costs = curve.costs(point, 1_000)
        runs.append(at_full_speed(point, PaperStreams(5_000), 1_000, 4_000, Machine(NOTHING), costs))
    assert runs[1]["comparisons_per_second"] == pytest.approx(4 * runs[0]["comparisons_per_second"], rel=0.05)
    assert one.verified
    assert four.verified
    assert len(asked) == len(curve_of) * (LOOKS + ROUNDS)  # the search has no profiles of its own


def test_a_run_is_several_times_as_long_as_what_is_under_way() -> None:
    def tuples(join: str, tier: str, threads: int) -> int:
        return steady_of(Point(join, tier, threads, 1.0), 90_000, 0.0)

    assert tuples("handshake", "scan", 48) == 16 * 48 * 32  # the credit is 32 by thread
    assert tuples("handshake", "scan", 1) == 8_192
    assert (tuples("scale", "scan", 1), tuples("scale", "index", 1)) == (32 * 256 // 2, 96 * 256 // 2)
    assert steady_of(Point("scale", "index", 1, 1.0), 1_000, 1e12) == int(0.1 * 1e12 / 2_001)


@pytest.mark.parametrize(("ahead", "settled"), [(0, 8_192), (1_000, 16_384), (1e9, 32_768)])
def test_a_line_is_as_long_in_use_as_its_rate_takes_to_settle(
    ahead: float, settled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (point,) = points(["handshake"], ["scan"], [1.0], [8])

    def run(of: Point, streams: Any, window: int, steady: int, *_: Any) -> Any:
        """For the first tuples, which are ``ahead``, it seems to be faster."""
        return {"comparisons_per_second": 2e9, "tuples_per_second": 1e4 * (1 + ahead / steady)}

    def profile(*_: Any) -> Any:
        return np.array([[Work.APPLY, 0, 0, 0]]), np.ones((1, 2))

    monkeypatch.setattr(simulated_curve, "at_full_speed", run)
    monkeypatch.setattr(simulated_curve, "attempt", profile)
    curve = Curve([point], Machine(NOTHING), most=20_000)
    assert curve.steady(point, 10_000, 0.0) == settled


def test_a_point_is_named_by_its_tier_and_cores() -> None:
    assert points(["scale"], ["scan", "index"], [1.0], [1, 48])[-1] == Point("scale", "index", 48, 1.0)
