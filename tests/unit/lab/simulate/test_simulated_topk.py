"""Heavy hitters on simulated cores are the designs themselves: right answers, one run of a seed, times that add up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.simulate.simulated_cores import SimulatedCores

from streambench.lab.measure.heavy_hitters import simulated as topk_simulated
from streambench.lab.measure.heavy_hitters.answer import wrong_answer
from streambench.lab.measure.heavy_hitters.designs import DESIGNS
from streambench.lab.measure.heavy_hitters.simulated import Streams, profile, simulated
from streambench.lab.measure.heavy_hitters.simulation import SIMULATED, items_of, points, simulate_topk
from streambench.lab.measure.heavy_hitters.zipf_streams import ExactCounts
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.pyx.heavy_hitters.hand_over import partitions_of
from streambench.pyx.heavy_hitters.stream_crew import StreamCrew
from streambench.pyx.simulate.costs import Costs

TIMES = Times(
    near_line=80,
    far_line=200,
    stream_line=10,
    pause=20,
    to_yield=400,
    wake_up=4_000,
    wake_call=700,
    wait_call=300,
    vain_call=200,
)
NOTHING = Times(0, 0, 0, 0, 0, 0)
COUNTERS, ITEMS = 50, 700
PIECES = [(kind, place) for kind in range(7) for place in range(7)]


def streams(many: int, items: int = ITEMS) -> list[Any]:
    """Skewed, with items that come once; of 64 bits."""
    random = np.random.default_rng(5)
    ids = random.integers(0, 1 << 63, 400, dtype=np.uint64)
    return [ids[np.minimum(random.zipf(1.3, items) - 1, 399)] for _ in range(many)]


def costs(ns: float = 100.0) -> Costs:
    """So long takes each piece of work, of however many items."""
    work = np.array([(kind, place, 0) for kind, place in PIECES], dtype=np.int64)
    return Costs(work, np.array([[0.0, ns]] * len(work)))


def run(
    name: str, own: list[Any], times: Times = TIMES, seed: int = 1, ns: float = 100.0
) -> tuple[Any, SimulatedCores]:
    design = DESIGNS[name]
    summary = design.summary(COUNTERS, len(own), simulated=True)
    cores = SimulatedCores(costs(), times.to_dict())
    with cores:
        StreamCrew(summary, own, 500 if design.queried else 0).run()
    return summary, cores


@pytest.mark.parametrize("name", SIMULATED)
def test_answers_are_right_whatever_the_cores_and_of_one_thread_those_of_a_real_one(name: str) -> None:
    for many in (1, 2, 7):
        own = streams(many)
        summary, cores = run(name, own)
        assert wrong_answer(summary.snapshot(), ExactCounts(own), 1 / COUNTERS) is None
        assert cores.seconds > 0
        assert cores.unknown == 0
    real = DESIGNS[name].summary(COUNTERS, 1)
    alone = streams(1)
    StreamCrew(real, alone).run()
    found, expected = run(name, alone)[0].snapshot(), real.snapshot()
    for one, other in zip(found[:3], expected[:3], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["fast", "cooperative", "shared", "locked"])
def test_the_same_seed_gives_the_same_run(name: str) -> None:
    def once() -> tuple[float, int]:
        cores = run(name, streams(5))[1]
        return cores.seconds, cores.events

    assert once() == once()


def test_on_one_core_the_time_is_the_sum_of_the_pieces() -> None:
    (own,) = streams(1)
    core = MeasuredCore()
    with core:
        StreamCrew(DESIGNS["locked"].summary(COUNTERS, 1, simulated=True), [own]).run()
    assert core.pieces == ITEMS
    assert run("locked", [own], NOTHING)[1].seconds == pytest.approx(ITEMS * 100e-9)


def test_a_common_lock_is_had_by_one_thread_at_a_time() -> None:
    one, many = (run("locked", streams(each), NOTHING)[1] for each in (1, 8))
    assert many.seconds >= 8 * one.seconds * 0.999
    assert many.where()["turns"][1] > 0.9


def test_who_finds_a_lock_taken_calls_the_system_as_does_who_gives_it_back_though_nobody_sleeps() -> None:
    def seconds(many: int, **calls: float) -> float:
        return run("locked", streams(many), replace(NOTHING, hand_over=1e6, **calls))[1].seconds

    assert seconds(1, wait_call=150.0, vain_call=1e6) == seconds(1)  # nobody waits
    # Of 100 ns an item: who calls for 150 finds the lock given back, or taken by who did not wait. So nobody sleeps.
    assert 0 < seconds(2, wait_call=150.0) < 1e-3 < seconds(2)
    assert seconds(2, wait_call=150.0, vain_call=500.0) > seconds(2, wait_call=150.0) + ITEMS * 100e-9


def test_who_finds_an_element_taken_delegates_where_the_shared_design_waits() -> None:
    own = [np.full(ITEMS, 7, np.uint64)] * 6
    cooperative, _ = run("cooperative", own)
    assert cooperative.statistics()["delegated share"] > 0.3
    shared, cores = run("shared", own)
    assert shared.statistics()["delegated share"] == 0
    assert cores.where()["idle"] > 0
    assert cores.where()["lines"]["element"] > 0.3


def test_what_is_delegated_is_a_share_of_the_streams_and_not_of_what_came_before() -> None:
    own = [np.full(ITEMS, 7, np.uint64)] * 6
    before = 10 * ITEMS
    summary = DESIGNS["cooperative"].summary(COUNTERS, 6, simulated=True)
    summary.add(np.arange(before, dtype=np.uint64))
    assert set(summary.statistics().values()) == {0}
    with SimulatedCores(costs(), TIMES.to_dict()):
        StreamCrew(summary, own).run()
    all_of_it = summary.statistics()
    found = topk_simulated.of_streams(summary, 6 * ITEMS, before)
    assert found["delegated share"] == pytest.approx(all_of_it["delegated share"] * 16 / 6)
    assert 0.3 < found["delegated share"] < 1


def test_threads_with_tables_of_their_own_do_not_meet() -> None:
    one, many = (run("independent", streams(each, 3_000), NOTHING) for each in (1, 6))
    assert many[1].where()["lines"]["element"] == 0
    without = SimulatedCores(costs(), NOTHING.to_dict())
    summary = DESIGNS["independent"].summary(COUNTERS, 6, simulated=True)
    with without:
        StreamCrew(summary, streams(6, 3_000)).run()
    assert without.seconds == pytest.approx(3 * 100e-9)  # a piece for each 1024 items, side by side
    assert one[1].seconds > without.seconds  # it has queries


def test_a_twin_of_one_that_was_not_compiled_to_tell_has_the_same_answers() -> None:
    (own,) = streams(1)
    for name in ("cooperative", "shared", "cooperative-lossy", "locked", "hybrid"):
        plain, told = (DESIGNS[name].summary(COUNTERS, 1, simulated=each) for each in (False, True))
        assert type(plain) is not type(told)
        for each in (plain, told):
            each.add(own)
        assert [list(rows) for rows in plain.snapshot()[:3]] == [list(rows) for rows in told.snapshot()[:3]]


def test_a_profile_knows_every_operation_whatever_follows_it() -> None:
    own = streams(3)
    found = profile(DESIGNS["cooperative"], COUNTERS, Streams(own, own[0], own[0]), Machine(TIMES))
    cores = SimulatedCores(found, TIMES.to_dict())
    with cores:
        StreamCrew(DESIGNS["cooperative"].summary(COUNTERS, 3, simulated=True), own).run()
    assert cores.seconds > 0
    assert cores.unknown == 0


@pytest.mark.parametrize("name", ["locked", "hybrid"])
def test_what_all_count_in_lies_where_it_was_counted_last(name: str) -> None:
    _, alone = run(name, streams(1))
    assert alone.where()["waited"] == 0  # nobody else has had a line
    summary, cores = run(name, [np.tile(each, 5) for each in streams(2)])
    for line in ("chain", "element", "bucket", "minimum"):
        assert cores.where()["lines"][line] > 0, line
    assert type(summary).__module__.endswith("_told")


def test_who_has_a_line_goes_on_with_it_until_anothers_request_has_come() -> None:
    """A request takes half of 10 us, in which some 25 items are counted, of 100 ns and a lock each."""
    _, cores = run("locked", streams(2), replace(NOTHING, near_line=10_000.0, hand_over=0.0))
    assert 0 < cores.seconds < 2 * ITEMS * 10e-6 / 5  # a way for each item, if the line went at once


def test_partitions_are_all_there_and_an_item_has_one() -> None:
    (own,) = streams(1)
    found = partitions_of(own, 5)
    assert set(found.tolist()) == set(range(5))
    assert np.array_equal(found, partitions_of(own, 5))
    assert partitions_of(own, 1).max() == 0


def test_every_point_is_simulated_and_called_so_and_a_wrong_answer_has_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = points(["fast", "shared"], [1.5], [1, 3])
    found = simulate_topk(wanted, Machine(TIMES), items=2_000)
    assert [(each["design"], each["threads"], each["simulated"]) for each in found] == [
        (name, cores, True) for name in ("fast", "shared") for cores in (1, 3)
    ]
    assert all(each["verified"] and each["updates_per_second"] > 0 and each["first"] for each in found)
    assert items_of("shared", 32, 50_000) == 5_000
    assert items_of("fast", 32, 50_000) == 50_000
    monkeypatch.setattr(topk_simulated, "wrong_answer", lambda *args: "an item is missing")
    own = streams(2)
    bad = simulated(
        "fast",
        1.5,
        Streams(own, own[0], own[0]),
        Machine(TIMES),
        counters=COUNTERS,
        epsilon=0.02,
        query_every=0,
    )
    assert (bad["verified"], bad["updates_per_second"], bad["problem"]) == (False, None, "an item is missing")
