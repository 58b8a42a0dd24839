"""A profile run counts all the work of one worker, and simulated on one core its pieces take what it took."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.measured_core import MeasuredCore

import streambench
from streambench.errors import DataError, OptionError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.host.limits import allowed_cpus
from streambench.lab.simulate.profile import TIMING_NS, as_untimed, told_often, undisturbed, without_state
from streambench.lab.simulate.simulate import parts_taken, saturates, simulate
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.pyx.simulate.costs import Moved
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000, account=1_000)
MODULE = """
import numpy as np
import streambench
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

def build():
    return streambench.Pipeline([TableSource([np.arange(5000)], ["value"]), TableSink()])

def empty():
    return streambench.Pipeline([TableSource([np.arange(0)], ["value"]), TableSink()])
"""


@pytest.fixture
def workload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnWorkload:
    (tmp_path / "simulated_pipeline.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return OwnWorkload("simulated_pipeline:build", None, None, in_memory=True)


def test_every_piece_of_work_is_timed(probes: Any) -> None:
    source = TableSource([np.arange(1000) % 7, np.arange(1000)], ["key", "value"])
    core = MeasuredCore()
    with core:
        pipeline = streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
        pipeline.run(engine="schemes", workers=1, unit=10, fuse=False, partitions=1)
    work, spans = core.rows()
    assert core.pieces == len(work) == 701  # at the end the source is asked in vain
    before_sink = work[work[:, 1] < 3]
    counted = {kind: before_sink[before_sink[:, 0] == kind][:, 2].sum() for kind in Work}
    assert counted[Work.ADMIT] == 1010
    del counted[Work.ADMIT], counted[Work.FUSED]
    assert counted == {Work.FILL: 1000, Work.APPLY: 1000, Work.SCATTER: 1000, Work.PROCESS: 1000, Work.GATHER: 1000}
    assert (spans >= 0).all()
    assert spans.sum() <= core.seconds * 1e9


def test_of_many_pieces_of_work_some_of_each_kind_are_kept(probes: Any) -> None:
    """Kinds come in turn: to keep every second piece, or fourth, would lose some kinds altogether."""
    source = TableSource([np.arange(90_000) % 7, np.arange(90_000)], ["key", "value"])
    core = MeasuredCore()
    with core:
        pipeline = streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
        pipeline.run(engine="schemes", workers=1, unit=1, fuse=False, partitions=1)
    work, _ = core.rows()
    # A quarter of the units is empty at the sink, and passes by unless a marker rides on it.
    assert 7 * 90_000 - 90_000 // 4 < core.pieces < 7 * 90_000
    assert core.pieces > 2 * len(work)
    kept = np.unique(work[work[:, 2] > 0][:, :2], axis=0, return_counts=True)[1]
    assert len(kept) == 7
    assert kept.min() > 0.7 * kept.max()


@pytest.mark.skipif(len(allowed_cpus()) < 2, reason="a worker that changes its core needs two")
def test_what_another_core_has_written_is_timed_apart(probes: Any) -> None:
    allowed = os.sched_getaffinity(0)
    source = TableSource([np.arange(400_000) % 7, np.arange(400_000)], ["key", "value"])
    core = MeasuredCore(tuple(allowed_cpus()[:2]))
    try:
        with core:
            pipeline = streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
            pipeline.run(engine="schemes", workers=1, unit=100, fuse=False, partitions=4, pin=False)
    finally:
        os.sched_setaffinity(0, allowed)
    work, _ = core.rows()
    assert core.pieces > len(work) > 0
    assert set(work[:, 3]) <= {1, 2, 3}  # what was not moved is of the run that stays where it is
    assert {Work.PROCESS, Work.APPLY} <= set(work[work[:, 3] > 1][:, 0])
    with pytest.raises(ValueError, match="between 2 cores"):
        MeasuredCore((0,))


def test_what_the_system_interrupted_is_left_out() -> None:
    work = np.array([[Work.APPLY, 1, 10]] * 9 + [[Work.APPLY, 2, 10]], dtype=np.int64)
    spans = np.full((10, 2), 1e3)
    spans[4, 1] = 5e6
    spans[9] = 5e6  # the only one of its operator: that is what it takes
    assert undisturbed(work, spans).tolist() == [True] * 4 + [False] + [True] * 5
    assert undisturbed(work[:0], spans[:0]).tolist() == []


def test_of_long_pieces_that_are_alike_an_interruption_shorter_than_they_are_is_told() -> None:
    """It comes on top by the interruptions that were watched: in a piece as well it would count twice."""
    random = np.random.default_rng(1)
    work = np.array([[Work.PROCESS, 1, 10]] * 200, dtype=np.int64)
    spans = np.column_stack((np.full(200, 100.0), random.normal(2e6, 2e4, 200)))
    stolen = np.arange(200) % 20 == 7
    spans[stolen, 1] += 1.8e6
    assert undisturbed(work, spans).tolist() == (~stolen).tolist()


def test_of_pieces_that_really_differ_all_are_kept() -> None:
    random = np.random.default_rng(1)
    work = np.array([[Work.PROCESS, 1, 10]] * 2000, dtype=np.int64)
    for spread in (random.exponential(1e6, 2000), 1e6 * random.lognormal(0, 0.5, 2000), random.uniform(1e5, 1e7, 2000)):
        assert undisturbed(work, np.column_stack((np.zeros(2000), spread))).all()


def test_an_operator_without_state_has_none_to_be_moved() -> None:
    work = np.array([[Work.APPLY, place, 1, moved] for place in (0, 1) for moved in range(4)], dtype=np.int64)
    spans = np.arange(16.0).reshape(8, 2)
    found, own = without_state(work, spans, [False, True])
    assert found[:4].tolist() == work[:4].tolist()
    assert found[4:, 3].tolist() == [0, 1, 1]  # what had only its state moved was not moved, and had changed the core
    assert own[:, 0].tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 14.0]


def test_of_the_plan_whole_pieces_are_kept_apart(probes: Any) -> None:
    source = [np.arange(20_000) % 7, np.arange(20_000)]

    def kinds(plan: str) -> set[int]:
        core = MeasuredCore()
        with core:
            table = TableSource(source, ["key", "value"])
            made = streambench.Pipeline([table, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
            settled = settle(Options(engine="ordered", unit=64, plan=plan, pin=False), 2)
            execute(made, replace(settled, workers=1, at_work=1, keeps_plan=True))
        return set(core.rows()[0][:, 3].tolist())

    assert kinds("whole") == {Moved.PLAN_WHOLE}
    assert kinds("cut") == kinds("sharded") == {0}


def test_an_operator_of_the_plan_whole_without_state_has_none_to_be_moved_either() -> None:
    work = np.array([[Work.APPLY, 1, 1, Moved.PLAN_WHOLE + moved] for moved in range(4)], dtype=np.int64)
    found, _ = without_state(work, np.ones((4, 2)), [False, True])
    assert (found[:, 3] - Moved.PLAN_WHOLE).tolist() == [0, 1, 1]
    assert told_often(found, np.ones((3, 2)))[0][:, 3].tolist() == [Moved.PLAN_WHOLE]


def test_what_was_moved_seldom_does_not_tell_what_that_takes() -> None:
    work = np.array([[Work.APPLY, 1, 1, 0], *[[Work.APPLY, 1, 1, 1]] * 64, *[[Work.APPLY, 1, 1, 2]] * 63])
    found, spans = told_often(work, np.ones((128, 2)))
    assert found[:, 3].tolist() == [0, *[1] * 64]
    assert len(spans) == 65
    assert len(told_often(work[:0], spans[:0])[0]) == 0


def test_interruptions_are_those_of_all_that_was_watched() -> None:
    found = TIMES.interrupted((2, 4_000_000, 100_000_000), (0, 0, 104_000_000))
    assert (found.interrupted_every, found.interruption) == (100e6, 2e6)
    assert TIMES.interrupted((0, 0, 1_000)).interrupted_every == 0


def test_what_timing_has_hidden_or_added_is_put_right() -> None:
    work = np.array([[Work.APPLY, 1, 1], [Work.APPLY, 1, 1], [Work.APPLY, 2, 1], [Work.APPLY, 2, 1]], dtype=np.int64)
    spans = np.array([[10.0, 5.0], [30.0, 5.0], [100.0, 5.0], [100.0, 5.0]])
    mean = spans.sum(axis=1).mean()
    hidden = as_untimed(work, spans, mean + 20)
    assert (hidden - spans).tolist() == [[20.0, 0.0]] * 4
    slower = as_untimed(work, spans, mean + 1_000)
    beyond = (mean + 1_000) / (mean + TIMING_NS)
    assert slower.sum() == pytest.approx(4 * (mean + 1_000))
    assert slower[:, 1].tolist() == pytest.approx([5 * beyond] * 4), "beyond what timing can do it is the pace of all"
    added = as_untimed(work, spans, mean - 15)
    assert added[:, 0].tolist() == pytest.approx([2.5, 7.5, 85.0, 85.0]), "a group keeps its shape"
    added = as_untimed(work, spans, mean - 40)
    assert added[:, 0].tolist() == [0.0, 0.0, 40.0, 40.0], "who has less than 40 has nothing, the others bear the rest"
    assert as_untimed(work[:2], spans[:2], 0.0)[:, 0].tolist() == [0.0, 0.0]
    assert spans[0, 0] == 10.0


def test_an_own_pipeline_is_simulated_and_checked(workload: OwnWorkload) -> None:
    told: list[str] = []
    options = Options(engine="schemes", unit=50)
    found = simulate(workload, options, [1, 3], times=TIMES, report=lambda doing, done, total: told.append(doing))
    assert [each.cores for each in found] == [1, 3]
    assert {each.digest for each in found} == {workload.serial_digest(1)}
    assert all(each.to_dict()["simulated"] is True and each.seconds > 0 and each.tuples == 5000 for each in found)
    assert "simulating 3 cores" in told


@pytest.mark.parametrize(
    ("options", "cores", "why"),
    [
        (Options(engine="serial"), [1], "serial has one thread: simulate schemes or ordered"),
        (Options(engine="schemes", rate=10.0), [1], "leave out rate"),
        (Options(engine="schemes"), [5], "1 to 4 in a topology of 2x2, not 5"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    workload: OwnWorkload, options: Options, cores: list[int], why: str
) -> None:
    with pytest.raises(OptionError, match=why):
        simulate(workload, options, cores, times=TIMES, topology=Topology(2, 2))


def test_of_an_empty_stream_there_is_nothing_to_simulate(workload: OwnWorkload) -> None:
    empty = OwnWorkload("simulated_pipeline:empty", None, None, in_memory=True)
    with pytest.raises(DataError, match="simulated_pipeline:empty is empty: there is nothing to simulate"):
        simulate(empty, Options(engine="schemes"), [1], times=TIMES)


def test_a_topology_is_read_as_sockets_times_clusters_times_cores() -> None:
    assert Topology.of("2x8x4") == Topology(2, 32, 8)
    assert (str(Topology(2, 32, 8)), Topology(2, 32, 8).per_cluster) == ("2x8x4", 4)
    assert Topology.of("2x1x64") == Topology.of("2x64")
    assert Topology.of("2x64") == Topology(2, 64)
    assert str(Topology(2, 64)) == "2x64"
    for text in ("64", "2x", "0x4", "2x129", "ax4", "2x0x4", "2x4x0", "2x16x16", "1x2x3x4"):
        with pytest.raises(OptionError, match="topology"):
            Topology.of(text)
    with pytest.raises(OptionError, match="8 cores of a socket are not 3 clusters"):
        Topology(1, 8, 3)


def test_a_simulated_machine_is_told_what_it_takes() -> None:
    told = TIMES.simulated()
    assert (told["hand_over"], told["memory"]) == (None, 0.0)
    assert "look_at_clock" not in told
    with pytest.raises(OptionError, match="wake_call must be nanoseconds"):
        Times(80, 200, 10, 20, 400, 40_000, wake_call=-1.0)


def test_the_busiest_is_named() -> None:
    pipeline = streambench.Pipeline([TableSource([[1]], ["value"]), TableSink()])
    where: dict[str, Any] = {"cores": 2, "workers": 0.2, "waits": {"turn": 0.03, "data": 0.07}, "partition": {}}
    where |= {"memory": None, "operators": [0.9, 0.8], "lines": {"reorder": 0.5}, "turns": {1: 0.7}, "lock": 0.6}
    where["gil"] = 0.0
    name, part = saturates(pipeline, where)
    assert (name, part) == (f"operator {pipeline.sink.name}", 0.8)
    assert saturates(pipeline, {**where, "lines": {"reorder": 0.95}}) == ("a line of reorder", 0.95)
    assert saturates(pipeline, {**where, "lock": 0.9}) == ("the lock of admission", 0.9)
    assert saturates(pipeline, {**where, "turns": {1: 0.9}}) == (f"a turn at {pipeline.sink.name}", 0.9)
    assert saturates(pipeline, {**where, "turns": {0: 0.9}}) == ("the one worker of the plan whole", 0.9)
    assert saturates(pipeline, {**where, "memory": 0.95}) == ("memory", 0.95)
    assert saturates(pipeline, {**where, "gil": 0.97}) == ("the GIL", 0.97)
    assert "memory" not in parts_taken(pipeline, where), "its limit is unknown"


def test_cores_that_wait_for_lines_are_not_at_work() -> None:
    pipeline = streambench.Pipeline([TableSource([[1]], ["value"]), TableSink()])
    where = {"cores": 128, "workers": 0.14, "waits": {"worklist": 0.5, "data": 0.29}, "partition": {}, "lines": {}}
    where |= {"memory": None, "operators": [0.0, 0.1], "turns": {}, "lock": 0.0, "gil": 0.0}
    assert saturates(pipeline, where) == ("lines between cores, mostly of worklist", pytest.approx(0.79))
    assert parts_taken(pipeline, where)["the cores"] == 0.14


def test_what_nobody_else_wants_does_not_stop_one_core() -> None:
    pipeline = streambench.Pipeline([TableSource([[1]], ["value"]), TableSink()])
    where = {"cores": 1, "workers": 0.99, "waits": {}, "partition": {}, "lines": {}, "operators": [0.0, 0.8]}
    where |= {"memory": None, "gil": 1.0}
    assert saturates(pipeline, {**where, "turns": {0: 1.0, 1: 1.0}, "lock": 1.0}) == ("the cores", 0.99)
