"""The plan chosen on 64 simulated cores: the first trial decides, and a plan that passes state around is left at once.
What a tuple takes is made up here, so that nothing depends on the machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.simulated_cores import SimulatedCores

from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec
from streambench.pyx.simulate.costs import Costs

TIMES = Times(near_line=35, far_line=90, stream_line=2, pause=20, to_yield=400, wake_up=16_000, account=800)
KEYED, SINK = 1, 2
UNIT, CORES = 1024, 64
FILLED, WORK, MOVED, DIGEST = 15.0, 100.0, 600.0, 5.0  # ns of a tuple: source; keyed, its state here, or not; sink
STATE_IS_MOVED = 2


@pytest.fixture(scope="module")
def workload() -> MicroWorkload:
    return MicroWorkload(MicroSpec((OperatorSpec("ps", 0, state_size=1),), tuples=1 << 22, tuple_size=1))


@pytest.fixture(scope="module")
def costs() -> Costs:
    """State that another core has makes a unit six times as dear; a shard of it costs the same wherever it is."""
    rows, spans = [(Work.FILL, 0, UNIT, 0)], [(0.0, UNIT * FILLED)]
    for size in (1, 8, 16, 32, 64, UNIT):
        for kind, place, moved, ns in (
            (Work.APPLY, KEYED, 0, WORK),
            (Work.APPLY, KEYED, STATE_IS_MOVED, MOVED),
            (Work.PROCESS, KEYED, 0, WORK),
            (Work.APPLY, SINK, 0, DIGEST),
        ):
            rows.append((kind, place, size, moved))
            spans.append((100.0, size * ns))
    for kind in (Work.ADMIT, Work.SCATTER, Work.GATHER):
        for place in (0, KEYED, SINK):
            rows.append((kind, place, UNIT, 0))
            spans.append((100.0, 1000.0))
    return Costs(np.array(rows, dtype=np.int64), np.array(spans))


def simulated(workload: MicroWorkload, costs: Costs, **options: Any) -> float:
    """Simulated seconds."""
    settled = settle(Options.of(preload=True, unit=UNIT, engine="ordered", workers=CORES, pin=False, **options), CORES)
    machine = SimulatedCores(costs, TIMES.simulated(), Topology().cores, 1)
    with machine:
        _, pipeline = workload.run(settled, lambda _: None, keep=False)
    assert pipeline.sink.digest == workload.serial_digest(1)
    return machine.seconds


def test_the_plan_chosen_is_soon_the_fast_one_though_a_bad_one_is_tried(workload: MicroWorkload, costs: Costs) -> None:
    """The model nominates cuts, too: 256 units under way there would take longer than all the stream by partition."""
    whole, sharded = (simulated(workload, costs, plan=plan) for plan in ("whole", "sharded"))
    assert 5 * sharded < whole, "it makes a difference what is chosen"
    assert simulated(workload, costs) < sharded + 0.05 * whole
