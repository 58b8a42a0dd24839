"""On simulated cores the runtime's own workers bring every tuple out once and in order, at times that add up."""

from __future__ import annotations

import re
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work, current, ticks_of_a_second
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.pyx.simulate.simulated_cores import MOST_CORES, SimulatedCores

import streambench
import streambench.lab
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS, ROUTINGS
from streambench.pyx.machine.clock import ticks_per_second
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.sim.schemes import schemes_engine

TUPLES = 6_000
UNIT = 20
NOTHING = dict.fromkeys(("near_line", "far_line", "stream_line", "pause", "to_yield", "wake_up", "account"), 0.0)
USUAL = {
    "near_line": 80.0,
    "far_line": 200.0,
    "stream_line": 10.0,
    "pause": 20.0,
    "to_yield": 400.0,
    "wake_up": 40_000.0,
    "account": 1_000.0,
}
PER_UNIT = 6  # admitted, filled, mapped, scattered, processed, gathered: of one partition


def pipeline(probes: Any, keys: int = 97) -> streambench.Pipeline:
    source = TableSource([np.arange(TUPLES) % keys, np.arange(TUPLES)], ["key", "value"])
    return streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])


def costs(before: float = 100.0, during: float = 4_000.0, spread: float = 0.0, indexing: float | None = None) -> Costs:
    """Of every piece of work alike but the sink's, which takes nothing; ``spread``: three that differ by so much.
    ``indexing``: of a unit by partition, where it takes another time."""
    pieces = [
        (kind, place, tuples) for kind in Work for place in range(3) for tuples in (0, *(1 << k for k in range(17)))
    ]
    work = np.repeat(np.array(pieces, dtype=np.int64), 3, axis=0)
    spans = np.tile([[before, during - spread], [before, during], [before, during + spread]], (len(pieces), 1))
    if indexing is not None:
        spans[work[:, 0] == Work.SCATTER, 1] = indexing
    return Costs(work, spans)


def run(probes: Any, machine: SimulatedCores, *, keys: int = 97, **options: Any) -> streambench.lab.RunResult:
    given = {"unit": UNIT, "fuse": False, "workers": 4, "engine": "schemes", **options}
    with machine:
        return pipeline(probes, keys).run(**given)


@pytest.mark.parametrize(("heuristic", "reorder"), list(product(HEURISTICS, REORDERS)))
def test_every_tuple_leaves_once_and_in_order(probes: Any, heuristic: str, reorder: str) -> None:
    expected = pipeline(probes).run(engine="serial")
    for partitioning in PARTITIONINGS:
        for cores in (1, 7):
            machine = SimulatedCores(costs(spread=3_000), USUAL)
            found = run(probes, machine, workers=cores, heuristic=heuristic, reorder=reorder, partitioning=partitioning)
            assert (found.tuples, found.digest) == (TUPLES, expected.digest), (partitioning, cores)


@pytest.mark.parametrize("reorder", REORDERS)
def test_units_are_indexed_one_at_a_time_where_they_are_routed_in_order(probes: Any, reorder: str) -> None:
    spent, indexing = {}, 50_000.0
    for routing in ROUTINGS:
        machine = SimulatedCores(costs(indexing=indexing), USUAL)
        run(probes, machine, workers=8, reorder=reorder, routing=routing)
        spent[routing] = machine.seconds
    one_after_the_other = TUPLES / UNIT * indexing * 1e-9
    assert spent["in-order"] >= one_after_the_other > 2 * spent["early"]


def test_on_one_core_the_time_is_the_sum_of_the_costs(probes: Any) -> None:
    # Pieces whose sizes are powers of two, so that no cost is scaled to another size.
    machine = SimulatedCores(costs(100, 4_000), NOTHING)
    run(probes, machine, workers=1, unit=16, partitions=1)
    asked_in_vain = 1
    assert machine.seconds == pytest.approx((TUPLES / 16 * PER_UNIT + asked_in_vain) * 4_100e-9, rel=1e-5)
    assert machine.where()["workers"] == pytest.approx(1.0, rel=1e-5)


def test_the_same_costs_and_seed_give_the_same_run(probes: Any) -> None:
    def once(seed: int) -> tuple[float, int, list[float]]:
        machine = SimulatedCores(costs(spread=3_500), USUAL, seed=seed)
        run(probes, machine, workers=9)
        assert machine.markers is not None
        return machine.seconds, machine.events, [round(each * 1e8) for each in machine.markers[3]]

    assert once(1) == once(1)
    assert once(1)[0] != once(2)[0]


def test_time_is_counted_in_ticks_of_one_rate_whatever_the_processors_is(probes: Any) -> None:
    # The measured rate differs from process to process in its fifth digit, enough to end a slice a unit later.
    machine = SimulatedCores(costs(), USUAL)
    assert machine.ticks_of_a_second == 1e9
    assert ticks_of_a_second() == ticks_per_second()
    with machine:
        assert ticks_of_a_second() == machine.ticks_of_a_second
    with MeasuredCore():
        assert ticks_of_a_second() == ticks_per_second()


def test_what_decides_is_the_compiled_heuristic(probes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made, original = [], schemes_engine.make

    def make(name: str, capacity: float) -> Any:
        made.append(original("qst", 1e-9))  # a capacity that lets hardly anything wait: another schedule than asked for
        return made[-1]

    usual, throttled = SimulatedCores(costs(), USUAL), SimulatedCores(costs(), USUAL)
    run(probes, usual, heuristic="ct")
    monkeypatch.setattr(schemes_engine, "make", make)
    run(probes, throttled, heuristic="ct")
    assert len(made) == 1
    assert throttled.events != usual.events


def test_work_that_can_be_shared_out_is_done_sooner_on_more_cores(probes: Any) -> None:
    seconds = {}
    for cores in (1, 2, 8):
        machine = SimulatedCores(costs(0, 20_000), NOTHING)
        run(probes, machine, workers=cores, partitions=1)
        seconds[cores] = machine.seconds
    # The partition has one worker, who gathers, too, as long as others leave it more: two fifths of the work.
    assert seconds[1] / seconds[2] == pytest.approx(2, rel=0.1)
    assert 2.3 < seconds[1] / seconds[8] <= PER_UNIT / 2 + 1e-6


def test_one_key_saturates_its_partition(probes: Any) -> None:
    rows = [(Work.PROCESS, 2, 16), (Work.APPLY, 1, 16)]
    dear = Costs(np.array(rows, dtype=np.int64), np.array([[0.0, 50_000], [0.0, 1_000]]))
    machine = SimulatedCores(dear, NOTHING)
    run(probes, machine, keys=1, workers=8, partitions=8, unit=16)
    assert machine.where()["partition"] == {2: pytest.approx(1.0, abs=0.05)}


def test_lines_that_take_longer_from_core_to_core_cost_time(probes: Any) -> None:
    def seconds(per_socket: int, **times: float) -> float:
        machine = SimulatedCores(costs(0, 500), {**USUAL, **times}, per_socket=per_socket)
        run(probes, machine, workers=8, unit=1)
        return machine.seconds

    near = seconds(8)
    assert near < seconds(8, near_line=300.0)
    assert near < seconds(4)


def test_a_line_comes_sooner_within_a_cluster_than_from_another_and_that_sooner_than_from_another_socket(
    probes: Any,
) -> None:
    def seconds(per_socket: int, per_cluster: int) -> float:
        times = {**USUAL, "cluster_line": 160.0, "far_line": 400.0}
        machine = SimulatedCores(costs(0, 500), times, per_socket, per_cluster=per_cluster)
        run(probes, machine, workers=8, unit=16)
        return machine.seconds

    assert seconds(8, 8) == seconds(8, 0) < seconds(8, 4) < seconds(4, 4)
    assert seconds(4, 4) == seconds(4, 0) < seconds(4, 2)
    with pytest.raises(ValueError, match="not made of clusters of 3"):
        seconds(8, 3)


def test_clusters_are_near_where_nothing_else_is_told(probes: Any) -> None:
    def events(**how: int) -> int:
        machine = SimulatedCores(costs(0, 500), USUAL, **how)  # type: ignore[arg-type]
        run(probes, machine, workers=8, unit=1)
        return machine.events

    assert events() == events(per_socket=8, per_cluster=2)


def test_interruptions_by_others_take_their_part_of_the_time(probes: Any) -> None:
    alone = SimulatedCores(costs(100, 4_000), NOTHING)
    run(probes, alone, workers=1, unit=16, partitions=1)
    beside = SimulatedCores(costs(100, 4_000), {**NOTHING, "interrupted_every": 50_000.0, "interruption": 50_000.0})
    run(probes, beside, workers=1, unit=16, partitions=1)
    assert beside.seconds / alone.seconds == pytest.approx(2.0, rel=0.3)
    assert beside.where()["interrupted"] == pytest.approx(0.5, abs=0.1)
    assert alone.where()["interrupted"] == 0


def test_who_sleeps_is_not_interrupted_and_does_not_catch_up_on_it(probes: Any) -> None:
    rows = [(Work.PROCESS, 2, 16), (Work.APPLY, 1, 16)]
    one_at_a_time = Costs(np.array(rows, dtype=np.int64), np.array([[0.0, 2_000_000], [0.0, 1_000]]))
    often = {**USUAL, "interrupted_every": 50_000.0, "interruption": 50_000.0}
    machine = SimulatedCores(one_at_a_time, often)
    run(probes, machine, keys=1, workers=8, partitions=1, unit=16)
    where = machine.where()
    assert where["idle"] > 0.5, "seven have nothing to do"
    assert where["interrupted"] < 0.2, "one core is interrupted for half of the time"


def reading(filled: float, mapped: float) -> Costs:
    """What a unit takes to be filled and by the first operator; all else is done in no time."""
    pieces = [(kind, place, UNIT) for kind in Work for place in range(3)]
    dear = {(Work.FILL, 0): filled, (Work.APPLY, 1): mapped}
    spans = [[0.0, dear.get((kind, place), 1.0)] for kind, place, _ in pieces]
    return Costs(np.array(pieces, dtype=np.int64), np.array(spans))


BYTES = 16 * UNIT  # of a unit


def test_memory_that_is_too_slow_for_all_saturates_where_the_first_operator_reads(probes: Any) -> None:
    def found(filled: float, mapped: float, memory: float) -> tuple[float, float]:
        machine = SimulatedCores(reading(filled, mapped), {**NOTHING, "memory": memory})
        run(probes, machine, workers=8)
        return machine.seconds, machine.where()["memory"]

    slow, fast = found(10, 3_200, BYTES / 3_200), found(10, 3_200, 1e6)
    assert slow[1] > 0.9
    assert fast[1] < 0.1
    assert slow[0] > 1.5 * fast[0]
    # The table's columns are not touched by filling: the dearest of it reads nothing.
    assert found(3_200, 10, BYTES / 3_200)[1] < 0.1


def test_one_core_does_not_wait_for_memory_as_its_work_has_waited_already(probes: Any) -> None:
    def seconds(memory: float) -> float:
        machine = SimulatedCores(reading(100, 500), {**NOTHING, "memory": memory})
        run(probes, machine, workers=1)
        assert machine.where()["waited"] == 0
        return machine.seconds

    assert seconds(0.01) == seconds(1e6) == seconds(0)


def test_each_socket_reads_from_memory_of_its_own(probes: Any) -> None:
    def seconds(per_socket: int) -> float:
        machine = SimulatedCores(reading(10, 3_200), {**NOTHING, "memory": BYTES / 3_200}, per_socket)
        run(probes, machine, workers=8)
        assert 0.7 < machine.where()["memory"] <= 1.0
        return machine.seconds

    assert seconds(8) == seconds(MOST_CORES)
    assert 1.6 < seconds(8) / seconds(4) <= 2.1


def test_what_another_core_has_written_costs_what_was_measured_of_that(probes: Any) -> None:
    def seconds(dear: int, workers: int) -> float:
        pieces = [(kind, place, UNIT, moved) for kind in Work for place in range(3) for moved in range(4)]
        spans = [[0.0, 50_000.0 if moved & dear else 500.0] for _, _, _, moved in pieces]
        machine = SimulatedCores(Costs(np.array(pieces, dtype=np.int64), np.array(spans)), NOTHING)
        run(probes, machine, workers=workers)
        return machine.seconds

    assert seconds(3, 1) == pytest.approx(seconds(0, 1))  # one core writes everything itself
    assert seconds(1, 4) > 1.5 * seconds(0, 4)
    assert seconds(2, 4) > 1.2 * seconds(0, 4)


def test_a_machine_is_used_once_and_by_one_thread_at_a_time(probes: Any) -> None:
    machine = SimulatedCores(costs(), USUAL)
    run(probes, machine)
    assert current() is None
    with pytest.raises(RuntimeError, match="make another"):
        run(probes, machine)
    assert current() is None
    with machine, pytest.raises(RuntimeError, match="already"), SimulatedCores(costs(), USUAL):
        pass
    with pytest.raises(ValueError, match="at most 256 cores"):
        run(probes, SimulatedCores(costs(), USUAL), workers=MOST_CORES + 1)


def test_a_watch_that_raises_stops_the_workers(probes: Any) -> None:
    def watch(tuples: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(probes, SimulatedCores(costs(), USUAL), watch=watch)
    assert run(probes, SimulatedCores(costs(), USUAL)).tuples == TUPLES


def test_costs_that_nothing_can_have_are_refused() -> None:
    with pytest.raises(ValueError, match="there is no work of kind 99"):
        Costs(np.array([[99, 0, 1]], dtype=np.int64), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="rows of kind"):
        Costs(np.zeros((2, 3), dtype=np.int64), np.zeros((1, 2)))


def test_a_module_that_is_built_once_tells_a_simulated_machine_nothing() -> None:
    rooms = Path(streambench.__file__).parent / "pyx"
    rooms_with_twins = ("engine", "machine", "ordered", "schemes")
    named = {f"{room}.{each.stem}": each for room in rooms_with_twins for each in (rooms / room).glob("*.pyx")}
    twins = {name for name in named if find_spec(f"streambench.sim.{name}") is not None}
    once = {name for name in named if not name.startswith("machine.")} - twins
    assert {"ordered.plan", "schemes.heuristics", "engine.serial_engine"} <= once
    for name in once - {"engine.serial_engine"}:  # no simulated machine has one
        head = named[name].with_suffix(".pxd")
        text = named[name].read_text() + (head.read_text() if head.exists() else "")
        used = set(re.findall(r"from streambench\.pyx\.([\w.]+) cimport", text))
        seams = used & (twins - {"ordered.meter"} | {"machine.simulated"})  # of meters it takes what a line holds
        assert not seams, f"{name} is built once and takes from {seams} what tells a simulated machine"
