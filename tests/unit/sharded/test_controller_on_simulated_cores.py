"""What a controller decided on simulated cores, it decides again where it is told the same: it is the one that runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work
from streambench.pyx.simulate.simulated_cores import MOST_CORES, SimulatedCores

import streambench
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.replay import replay
from streambench.execution.settled import settle
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

TIMES = {"near_line": 80.0, "far_line": 200.0, "stream_line": 10.0, "pause": 20.0, "to_yield": 400.0}
TIMES |= {"wake_up": 40_000.0, "account": 1_000.0}
NOTHING = Costs(np.empty((0, 3), dtype=np.int64), np.empty((0, 2)))


def test_its_decisions_are_those_of_a_controller_that_is_told_the_same(probes: Any) -> None:
    work = [(kind, place, 64) for place in (1, 2, 3) for kind in (Work.APPLY, Work.PROCESS)]
    drawn = Costs(np.array(work, dtype=np.int64), np.repeat([[0.0, 640.0], [0.0, 25_600.0], [0.0, 64.0]], 2, axis=0))
    source = TableSource([np.arange(300_000) % 97, np.arange(300_000)], ["key", "value"])
    pipeline = streambench.Pipeline([source, probes.Map(), probes.KeyedSum(), TableSink(keep=False)])
    with SimulatedCores(drawn, TIMES):
        found = execute(pipeline, settle(Options(engine="ordered", workers=12, pin=False), 12), recorded=True)
    assert found.core_costs == {"line": 80.0, "byte": 10.0 / 64}
    assert found.decisions is not None
    assert found.decisions.how["costs"] == found.core_costs
    assert len(found.decisions.rows) > 10
    assert found.choices[-1]["plan"] != "whole"
    assert replay(found.decisions).difference is None


@pytest.mark.parametrize(("per_socket", "line"), [(MOST_CORES, 80.0), (2, 140.0)])
def test_it_is_told_what_the_simulated_cores_take_to_share(per_socket: int, line: float) -> None:
    """The mean of the way to the next core and to the last one."""
    assert SimulatedCores(NOTHING, TIMES, per_socket).core_costs(12) == {"line": line, "byte": 10.0 / 64}
