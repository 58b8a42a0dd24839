"""The simulated machine: what its primitives take, where its cores stand, and what is drawn by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.simulate.times import Times
from streambench.lab.simulate.topology import Topology
from streambench.pyx.simulate.costs import Costs
from streambench.pyx.simulate.simulated_cores import SimulatedCores


class _KnownWork(SimulatedCores):  # type: ignore[misc]  # compiled, without a stub
    """No work of theirs takes nothing because nobody has measured it."""

    def run_crew(self, crew: Any, watch: Any) -> None:
        """As those; and raises StreambenchError for such work."""
        super().run_crew(crew, watch)
        if self.unknown:
            raise StreambenchError(f"{self.unknown} simulated pieces of work were in no profile run: report this.")


@dataclass(frozen=True)
class Machine:
    """``times`` of its primitives, where its cores stand, and the ``seed`` of what is drawn."""

    times: Times
    topology: Topology = field(default_factory=Topology)
    seed: int = 1

    def cores(self, costs: Costs) -> SimulatedCores:
        """New cores. A run of them raises StreambenchError for work of which the ``costs`` know nothing."""
        place = self.topology
        times = self.times.simulated(clustered=place.clusters > 1)
        return _KnownWork(costs, times, place.cores, self.seed, place.per_cluster)

    @property
    def memory_limit(self) -> float | None:
        """Bytes a nanosecond that the cores of a socket together read from memory; None: unknown, as two read about
        twice what one does and nothing was measured of more. Then memory stops no simulated core."""
        return self.times.memory or None

    @property
    def ways(self) -> dict[str, float]:
        """What a line takes, in ns, by the ways that there are between its cores."""
        place = self.topology
        times = self.times.ways(clustered=place.clusters > 1)
        there = {"near_line": True, "cluster_line": place.clusters > 1, "far_line": place.sockets > 1}
        return {name: way for name, way in times.items() if there[name]}
