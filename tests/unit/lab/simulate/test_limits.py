"""What stops an engine on many cores is told part by part; admission, credit and partitions are not it, at 100 ns a
tuple in units of 1,024. What a tuple takes is made up here, so that nothing depends on the machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work

from streambench.errors import OptionError
from streambench.execution.options import Options
from streambench.execution.settled import FEW_PARTITIONS, settle
from streambench.lab.simulate import limits as limits_module
from streambench.lab.simulate.limits import Limits, limits
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.profile import Profile
from streambench.lab.simulate.simulate import SATURATED
from streambench.lab.simulate.times import Times
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

TIMES = Times(near_line=35, far_line=90, stream_line=2, pause=20, to_yield=400, wake_up=16_000, account=800)
KEYED, SINK = 1, 2
WORK, PIECE = 100.0, 100.0  # ns of a tuple in the keyed operator; of a piece of work
LIGHT_SINK, SINK_AS_IT_IS = 1.0, 5.0  # ns of a tuple: 64 cores bring one every 1.6
CORES = 64


@pytest.fixture(params=[LIGHT_SINK], autouse=True)
def _profiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, spans = [(Work.FILL, 0, 1024, 0)], [(0.0, 200.0)]
    for place, ns in ((KEYED, WORK), (SINK, request.param)):
        for kind in (Work.APPLY, Work.PROCESS):
            for size in (1, 8, 16, 32, 64, 1024):
                rows.append((kind, place, size, 0))
                spans.append((PIECE, size * ns))
    for kind in (Work.ADMIT, Work.SCATTER, Work.GATHER):
        for place in (0, KEYED, SINK):
            rows.append((kind, place, 1024, 0))
            spans.append((PIECE, 1000.0))
    found = Profile(np.array(rows, dtype=np.int64), np.array(spans), len(rows), 0.0, 0)
    monkeypatch.setattr(limits_module, "profile", lambda *_: found)


@pytest.fixture(scope="module")
def workload() -> MicroWorkload:
    return MicroWorkload(MicroSpec((OperatorSpec("ps", 0, state_size=1),), tuples=1 << 19, tuple_size=1))


def found(workload: MicroWorkload, cores: int = CORES, **options: Any) -> Limits:
    given = Options.of(preload=True, unit=1024, **options)
    return limits(workload, given, [cores], Machine(TIMES), profiled=limits_module.profile)[0]


def of_admission(of: Limits) -> float:
    parts = of.simulated.parts
    return max(parts["the lock of admission"], parts["a line of admission"], parts["a line of meters"])


def of_partitions(of: Limits) -> float:
    return max(of.simulated.parts["a turn at MatrixKeyed"], of.simulated.parts["a partition of MatrixKeyed"])


def test_at_64_cores_neither_admission_nor_credit_nor_partitions_are_what_stops_ordered(
    workload: MicroWorkload,
) -> None:
    one = found(workload, plan="sharded")
    assert one.simulated.busy + one.simulated.waited > 0.99, "cores are never idle"
    assert of_admission(one) < SATURATED
    assert of_partitions(one) < SATURATED
    assert one.simulated.first not in ("a turn at MatrixKeyed", "a partition of MatrixKeyed")
    assert one.gain < 0.1
    assert one.partitions == 3 * CORES // 2 > FEW_PARTITIONS


@pytest.mark.parametrize("cores", [32, 64])
def test_one_partition_for_each_worker_is_stopped_by_the_busiest(workload: MicroWorkload, cores: int) -> None:
    """So there are three for two workers."""
    one = found(workload, plan="sharded", cores=cores, partitions=cores)
    assert one.simulated.first == "a turn at MatrixKeyed"
    assert of_partitions(one) >= SATURATED
    more = found(workload, plan="sharded", cores=cores).simulated
    assert more.digest == one.simulated.digest
    assert more.throughput > 1.05 * one.simulated.throughput


@pytest.mark.parametrize("_profiled", [SINK_AS_IT_IS], indirect=True)
def test_at_64_cores_the_sink_that_digests_the_sequence_saturates_first(workload: MicroWorkload) -> None:
    one = found(workload, plan="sharded")
    assert one.simulated.first == "a turn at TableSink"
    assert one.simulated.taken >= SATURATED > one.simulated.parts["the cores"]
    assert of_admission(one) < 0.5
    assert of_partitions(one) < 0.5
    assert one.gain < 0.1


def test_above_16_workers_there_are_fewer_groups_to_process_as_there_are_fewer_partitions(
    workload: MicroWorkload,
) -> None:
    """So there are fewer events; that it is faster, too, does not follow: as much is to be done by the row."""
    now = found(workload, plan="sharded").simulated
    before = found(workload, plan="sharded", partitions=2 * CORES).simulated
    assert now.digest == before.digest
    assert now.events < 0.9 * before.events


def test_too_little_credit_shows(workload: MicroWorkload) -> None:
    assert found(workload, plan="sharded", credit=16).gain > 0.2


def test_one_thread_has_no_limits_to_simulate(workload: MicroWorkload) -> None:
    with pytest.raises(OptionError, match="simulate schemes or ordered"):
        limits(workload, Options(engine="serial"), [1], Machine(TIMES))
    assert settle(Options.of(engine="schemes"), CORES).credit is not None
