"""On simulated cores `ordered` brings every tuple out once and in order, by its own plans and its own controller."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.simulated_cores import SimulatedCores

import streambench
from streambench.execution.execute import execute
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline
from streambench.lab.simulate.profile import profile
from streambench.lab.simulate.simulate import once, simulate
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec
from streambench.lab.workloads.own_workload import OwnWorkload
from streambench.pyx.simulate.costs import Costs, Moved
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource
from streambench.pyx.tuples.fused import Fused

TUPLES = 20_000
TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000, account=1_000)
USUAL = TIMES.to_dict()
NOTHING = dict.fromkeys(USUAL, 0.0)
MAPPED, SUMMED, SINK = 1, 2, 3
PLANS = ("auto", "whole", "cut", "sharded", "2|3", "2*|3")
MODULE = """
import numpy as np
import streambench
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

def build():
    return streambench.Pipeline([TableSource([np.arange(5000)], ["value"]), TableSink()])
"""


def pipeline(probes: Any, tuples: int = TUPLES) -> streambench.Pipeline:
    source = TableSource([np.arange(tuples) % 97, np.arange(tuples)], ["key", "value"])
    return streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])


def costs(by_tuple: dict[int, float], spread: float = 0.0) -> Costs:
    """``by_tuple``: ns of each operator, however it is called; ``spread``: the part by which pieces differ."""
    rows, spans = [], []
    for place, ns in by_tuple.items():
        for kind in (Work.APPLY, Work.PROCESS):
            rows += [(kind, place, 64), (kind, place, 64)]
            spans += [(0.0, 64 * ns * (1 - spread)), (0.0, 64 * ns * (1 + spread))]
    return Costs(np.array(rows, dtype=np.int64), np.array(spans))


def run(probes: Any, machine: SimulatedCores, *, tuples: int = TUPLES, **options: Any) -> tuple[Measurement, str]:
    """Of as many workers as there are cores: what was measured by the machine's clock, and the digest of the output."""
    settled = settle(Options.of(engine="ordered", pin=False, **options), options["workers"])
    made = pipeline(probes, tuples)
    with machine:
        return execute(made, settled), made.sink.digest


@pytest.mark.parametrize("plan", PLANS[1:])
@pytest.mark.parametrize("cores", [2, 9, 64])
def test_every_tuple_leaves_once_and_in_order(probes: Any, plan: str, cores: int) -> None:
    expected = pipeline(probes).run(engine="serial")
    machine = SimulatedCores(costs({MAPPED: 20, SUMMED: 50, SINK: 3}, 0.9), USUAL)
    found, digest = run(probes, machine, plan=plan, workers=cores, unit=64)
    assert (found.tuples, digest) == (TUPLES, expected.digest)


@pytest.mark.parametrize("plan", ["whole", "cut"])
def test_who_has_all_of_the_pipeline_takes_what_was_measured_so(probes: Any, plan: str) -> None:
    """Between pieces of segments turns are taken and passed on; between those of the plan whole nothing is."""

    def seconds(**before: float) -> float:
        rows, spans = [], []
        for kind in (Work.ADMIT, Work.APPLY, Work.PROCESS):
            for place in range(SINK + 1):
                for named, ns in before.items():
                    rows.append((kind, place, 1, Moved.PLAN_WHOLE if named == "whole" else 0))
                    spans.append((ns, 0.0))
        machine = SimulatedCores(Costs(np.array(rows, dtype=np.int64), np.array(spans)), NOTHING)
        run(probes, machine, plan=plan, workers=2, unit=1, tuples=1000)
        return machine.seconds

    of_plan, other = ("whole", "cut") if plan == "whole" else ("cut", "whole")
    alone = seconds(**{of_plan: 100.0})
    assert alone > 0
    assert seconds(**{of_plan: 100.0, other: 900.0}) == alone
    assert seconds(**{of_plan: 900.0, other: 100.0}) > 5 * alone
    assert seconds(**{other: 100.0}) == alone  # which stands in, where nothing else is known


def test_the_same_costs_and_seed_give_the_same_run(probes: Any) -> None:
    def once(seed: int) -> tuple[float, int, list[float]]:
        machine = SimulatedCores(costs({MAPPED: 20, SUMMED: 50, SINK: 3}, 0.9), USUAL, seed=seed)
        run(probes, machine, plan="sharded", workers=9, unit=64)
        assert machine.markers is not None
        return machine.seconds, machine.events, [round(each * 1e8) for each in machine.markers[3]]

    assert once(1) == once(1)
    assert once(1)[0] != once(2)[0]


@pytest.mark.parametrize("plan", ["cut", "sharded"])
def test_clusters_and_sockets_cost_time_and_change_no_output(probes: Any, plan: str) -> None:
    def found(per_socket: int, per_cluster: int) -> tuple[float, str]:
        times = {**USUAL, "near_line": 40.0, "cluster_line": 400.0, "far_line": 4_000.0, "memory": 10.0}
        machine = SimulatedCores(costs({MAPPED: 2, SUMMED: 5, SINK: 3}), times, per_socket, per_cluster=per_cluster)
        digest = run(probes, machine, plan=plan, workers=8, unit=64)[1]
        return machine.seconds, digest

    one, clusters, sockets = found(8, 8), found(8, 2), found(2, 2)
    assert one[0] < clusters[0] < sockets[0]
    assert {one[1], clusters[1], sockets[1]} == {pipeline(probes).run(engine="serial").digest}


def test_on_one_core_the_time_is_the_sum_of_the_costs(probes: Any) -> None:
    work = [(kind, place, 64) for kind in (Work.ADMIT, Work.FILL, Work.APPLY) for place in range(4)]
    drawn = Costs(np.array(work, dtype=np.int64), np.tile([[100.0, 6_400.0]], (len(work), 1)))
    machine = SimulatedCores(drawn, NOTHING)
    run(probes, machine, workers=1, unit=64, tuples=64 * 100)
    where = machine.where()
    # Admitted, filled, mapped; then summed and taken by the sink, which are given other numbers of tuples.
    assert where["operators"][0] * machine.seconds == pytest.approx((2 * 100 + 1) * 6_500e-9, rel=1e-6)
    assert where["operators"][1] * machine.seconds == pytest.approx(100 * 6_500e-9, rel=1e-6)
    assert sum(where["operators"]) == pytest.approx(1.0, abs=1e-4)
    assert where["workers"] == pytest.approx(1.0, abs=1e-4)


def test_a_loop_of_operators_takes_what_was_measured_or_what_they_take_alone() -> None:
    def seconds(*more: tuple[int, int, float]) -> float:
        """Of map, count and digest as one loop."""
        rows = [(Work.APPLY, 1, 20.0), (Work.APPLY, 2, 30.0), (Work.APPLY, 3, 50.0), *more]
        work = np.array([(kind, place, 64) for kind, place, _ in rows], dtype=np.int64)
        machine = SimulatedCores(Costs(work, np.array([[0.0, 64 * ns] for _, _, ns in rows])), NOTHING)
        made = MicroPipeline(64 * 100).pipeline()
        with machine:
            execute(made, settle(Options(engine="ordered", workers=1, unit=64, pin=False), 1))
        return machine.seconds

    alone = 64 * 100 * 100e-9
    assert seconds() == pytest.approx(alone, rel=1e-3)
    as_one = seconds((Work.FUSED + 3, 1, 10.0))
    assert as_one < 0.3 * alone  # one unit of some is not fused, to tell what each operator takes
    assert as_one > alone / 10


class LeavingSink(TableSink):
    """Offers a loop with the operator before it that leaves every unit, which then goes through them one by one."""

    def fused_behind(self, before: tuple[Any, ...]) -> Fused:
        return Fused((before[0], self))


def test_what_is_before_a_loop_that_leaves_its_unit_is_paid_for_once(probes: Any) -> None:
    def seconds(sink: TableSink) -> float:
        kinds = (Work.ADMIT, Work.FILL, Work.APPLY, Work.FUSED + 2)
        rows = [(kind, place, size) for kind in kinds for place in range(3) for size in (1, 64)]
        machine = SimulatedCores(
            Costs(np.array(rows, dtype=np.int64), np.tile([[1_000.0, 0.0]], (len(rows), 1))), NOTHING
        )
        source = TableSource([np.arange(64 * 100)] * 2, ["key", "value"])
        with machine:
            made = streambench.Pipeline([source, probes.Map(), sink])
            execute(made, settle(Options(engine="ordered", workers=1, unit=64, pin=False), 1))
        return machine.seconds

    assert seconds(LeavingSink(keep=False)) == pytest.approx(seconds(TableSink(keep=False)), rel=1e-9)


def test_more_cores_do_what_can_be_shared_out_sooner_and_no_more(probes: Any) -> None:
    def seconds(plan: str, cores: int) -> float:
        machine = SimulatedCores(costs({MAPPED: 400, SUMMED: 100}), USUAL)
        run(probes, machine, plan=plan, workers=cores, unit=64)
        return machine.seconds

    assert seconds("cut", 2) / seconds("cut", 5) == pytest.approx(2.5, rel=0.15)
    assert seconds("cut", 5) / seconds("cut", 40) == pytest.approx(1, rel=0.1)  # the sum has one worker at a time
    assert seconds("whole", 1) / seconds("whole", 40) == pytest.approx(1, rel=0.1)  # others look whether there is work
    assert seconds("cut", 5) / seconds("sharded", 5) == pytest.approx(1, rel=0.1)  # the map is what takes most


def test_what_one_worker_at_a_time_has_is_found_out(probes: Any) -> None:
    machine = SimulatedCores(costs({MAPPED: 100, SUMMED: 100}), USUAL)
    run(probes, machine, plan="cut", workers=16, unit=64)
    assert machine.where()["turns"][SUMMED] > 0.9
    machine = SimulatedCores(costs({MAPPED: 100, SUMMED: 100}), USUAL)
    run(probes, machine, plan="whole", workers=16, unit=64)
    assert machine.where()["turns"][0] > 0.9
    assert machine.where()["lock"] < 0.1


def test_the_controller_itself_chooses_the_plan(probes: Any) -> None:
    """Nothing dear: one worker. A dear operator that can be shared out: that is shared out, and all is done sooner."""
    tuples = 200_000

    def chosen(by_tuple: dict[int, float], **options: Any) -> tuple[Any, float]:
        machine = SimulatedCores(costs(by_tuple), USUAL)
        found, _ = run(probes, machine, workers=8, tuples=tuples, **options)
        return found.choices[-1], machine.seconds

    cheap, _ = chosen({MAPPED: 1, SUMMED: 1, SINK: 1})
    assert cheap["plan"] == "whole"
    dear, seconds = chosen({MAPPED: 10, SUMMED: 400, SINK: 1})
    assert "KeyedSum x16" in dear["plan"]
    _, by_hand = chosen({MAPPED: 10, SUMMED: 400, SINK: 1}, plan="sharded", unit=256)
    _, alone = chosen({MAPPED: 10, SUMMED: 400, SINK: 1}, plan="whole")
    assert max(seconds, by_hand) < 0.6 * alone


def test_a_profile_knows_every_plan_that_may_be_chosen(
    probes: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = MODULE.replace("TableSink()]", "*probed(), TableSink()]").replace("[np.arange(5000)], [", "COLUMNS, [")
    (tmp_path / "keyed_pipeline.py").write_text(
        module.replace('["value"]', '["key", "value"]') + "\nCOLUMNS = [np.arange(5000) % 7, np.arange(5000)]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import keyed_pipeline  # type: ignore[import-not-found]

    keyed_pipeline.probed = lambda: [probes.Map(), probes.KeyedSum()]
    workload = OwnWorkload("keyed_pipeline:build", None, None, in_memory=True)
    settled = settle(Options(engine="ordered", workers=16, pin=False), 16)
    assert (settled.at_work, settled.partitions) == (16, 32)
    assert [settle(Options(workers=n), n).partitions for n in (1, 2, 16, 20, 64)] == [1, 4, 32, 32, 96]
    found = profile(workload, settled)
    alone = profile(workload, settle(Options(engine="ordered", workers=1, pin=False), 1))
    assert found.pieces > 3 * alone.pieces
    both = simulate(workload, Options(engine="ordered"), [1, 16], times=TIMES)
    assert next(each.plan for each in both) == "whole"
    assert {each.digest for each in both} == {workload.serial_digest(1)}


def test_a_simulated_run_after_which_its_thread_is_on_one_core_gives_back_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All workers are this thread, which is on one core once a controller has given each worker its own again."""
    allowed = os.sched_getaffinity(0)
    workload = MicroWorkload(MicroSpec((OperatorSpec("ps", 0.1, state_size=1),), tuples=20_000, tuple_size=1))
    settled = settle(Options(engine="ordered", workers=2, unit=64, plan="cut", preload=True), 2)
    fed = profile(workload, settled)
    run = MicroWorkload.run

    def bound(*given: Any, **how: Any) -> Any:
        found = run(*given, **how)
        if given[1].engine == "ordered":
            os.sched_setaffinity(0, {min(allowed)})
        return found

    monkeypatch.setattr(MicroWorkload, "run", bound)
    try:
        once(workload, settled, fed, Topology(), TIMES, 1)
        assert os.sched_getaffinity(0) == allowed
    finally:
        os.sched_setaffinity(0, allowed)
