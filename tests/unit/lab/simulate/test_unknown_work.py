"""Work that nobody has measured ends a simulation, wherever it is told of: it does not take nothing."""

from __future__ import annotations

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work

from streambench.errors import StreambenchError
from streambench.lab.measure.heavy_hitters.designs import DESIGNS
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.pyx.heavy_hitters.stream_crew import StreamCrew
from streambench.pyx.join.gate_traffic_told import GateTraffic
from streambench.pyx.simulate.costs import Costs

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)
UNLIKE = Costs(np.array([[Work.SCATTER, 7, 1, 0]]), np.array([[0.0, 1.0]]))


def test_items_that_no_profile_had_counted_do_not_take_nothing() -> None:
    own = [np.arange(2_000, dtype=np.uint64) % 50 for _ in range(2)]
    cores = Machine(TIMES).cores(UNLIKE)
    with cores, pytest.raises(StreambenchError, match="pieces of work were in no profile run"):
        StreamCrew(DESIGNS["fast"].summary(100, 2, simulated=True), own).run()


def test_nor_do_a_gate_s_tuples() -> None:
    cores = Machine(TIMES).cores(UNLIKE)
    with cores, pytest.raises(StreambenchError, match="pieces of work were in no profile run"):
        GateTraffic("ring", [np.arange(2_000, dtype=np.int64)]).run()
