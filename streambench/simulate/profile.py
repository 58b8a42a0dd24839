"""A profile run: one worker of the real machine, whose every piece of work is timed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from streambench.execution.settled import Settled
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.simulate.measured_core import MeasuredCore
from streambench.workloads.micro import MicroWorkload
from streambench.workloads.own_workload import OwnWorkload
from streambench.workloads.workload import Workload

INTERRUPTED_NS = 1e6  # so much, and
INTERRUPTED = 20  # times what is usual: the system had the core meanwhile


@dataclass(frozen=True)
class Profile:
    """``pieces`` of work were done in ``seconds``, of which ``interrupted`` are left out of the ``costs``."""

    costs: Costs
    pieces: int
    seconds: float
    interrupted: int


def profile(workload: Workload | OwnWorkload | MicroWorkload, settled: Settled) -> Profile:
    """Run ``workload`` by one worker, with all else as ``settled`` says, and keep what each piece of work took."""
    core = MeasuredCore()
    with core:
        workload.run(replace(settled, workers=1, at_work=1, pin=False), keep=False)
    work, spans = core.rows()
    usual = undisturbed(work, spans)
    return Profile(Costs(work[usual], spans[usual]), core.pieces, core.seconds, int((~usual).sum()))


def undisturbed(work: npt.NDArray[np.int64], spans: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which pieces were not interrupted by the system, by what is usual for work of their kind, operator and size."""
    sizes = np.frexp(work[:, 2].astype(np.float64))[1]
    _, group = np.unique(np.column_stack([work[:, :2], sizes]), axis=0, return_inverse=True)
    usual = np.ones(len(work), dtype=np.bool_)
    for number in range(int(group.max(initial=-1)) + 1):
        rows = np.flatnonzero(group == number)
        for column in range(spans.shape[1]):
            typical = float(np.median(spans[rows, column]))
            usual[rows] &= spans[rows, column] < max(INTERRUPTED_NS, INTERRUPTED * typical)
    return usual
