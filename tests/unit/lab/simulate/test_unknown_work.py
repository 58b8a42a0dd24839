"""Work that nobody has measured ends a simulation: it does not take nothing."""

from __future__ import annotations

import numpy as np
import pytest
from streambench.pyx.machine.simulated import Work

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Times
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec
from streambench.pyx.simulate.costs import Costs

TIMES = Times(near_line=80, far_line=200, stream_line=10, pause=20, to_yield=400, wake_up=40_000)
UNLIKE = Costs(np.array([[Work.SCATTER, 7, 1, 0]]), np.array([[0.0, 1.0]]))


@pytest.mark.parametrize("engine", ["schemes", "ordered"])
def test_tuples_that_no_profile_tells_of_do_not_take_nothing(engine: str) -> None:
    workload = MicroWorkload(MicroSpec((OperatorSpec("sl", 0.0),), tuples=2_000))
    settled = settle(Options(engine=engine, workers=2, preload=True, pin=False))
    with Machine(TIMES).cores(UNLIKE), pytest.raises(StreambenchError, match="pieces of work were in no profile run"):
        workload.run(settled, keep=False)
