"""The simulated machine: what its primitives take, where its cores stand, and what is drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass, field

from streambench.pyx.simulate.costs import Costs
from streambench.pyx.simulate.simulated_cores import SimulatedCores
from streambench.simulate.times import Times
from streambench.simulate.topology import Topology


@dataclass(frozen=True)
class Machine:
    """``times`` of its primitives, where its cores stand, and the ``seed`` of what is drawn."""

    times: Times
    topology: Topology = field(default_factory=Topology)
    seed: int = 1

    def cores(self, costs: Costs, timed: int = -1) -> SimulatedCores:
        """New cores."""
        return SimulatedCores(costs, self.times.simulated(), self.topology.cores, self.seed, timed)
