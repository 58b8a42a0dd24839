"""Every point of heavy hitters on simulated cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from streambench.measure.heavy_hitters.designs import DESIGNS, OF_ONE_STREAM, USUAL
from streambench.measure.heavy_hitters.run import cores_for
from streambench.measure.heavy_hitters.simulated import Streams, simulated, steps_by_item
from streambench.measure.heavy_hitters.zipf_streams import Items, zipf_streams
from streambench.measure.validation.beside_real import beside, fits_here
from streambench.pyx.heavy_hitters.stream_crew import StreamCrew
from streambench.simulate.machine import Machine

CORES = (1, 2, 4, 8, 16, 32)  # the paper has up to 32 streams
ITEMS = 50_000  # of a stream
BY_STEP = 160_000  # of all streams together, of designs whose every item is many events; and
ITEMS_BY_STEP = 20_000  # of one
BEFORE = 100_000  # items that have been counted before
ITEMS_OF_REAL, TILES = 500_000, 8  # of a stream of a real run, so many times where a design is fast
SIMULATED = tuple(name for name in USUAL if name not in OF_ONE_STREAM)

Report = Callable[[str, float], None]
"""Called with what is being done, and which part of all is done, from 0 to 1."""


class SimulatedPoint(NamedTuple):
    """``cores``: and streams, a thread each."""

    design: str
    alpha: float
    cores: int

    def title(self) -> str:
        """``shared, 4 cores, α 1.5``."""
        return f"{self.design}, {self.cores} core{'s' * (self.cores > 1)}, α {self.alpha:g}"


def points(designs: Sequence[str], alphas: Sequence[float], cores: Sequence[int]) -> list[SimulatedPoint]:
    """By α, design and cores."""
    return [SimulatedPoint(design, alpha, each) for alpha in alphas for design in designs for each in cores]


def items_of(design: str, cores: int, items: int) -> int:
    """How many of a stream's items are simulated."""
    return min(items, ITEMS_BY_STEP, BY_STEP // cores) if steps_by_item(DESIGNS[design]) else items


class Simulation:
    """Streams of one α are in memory at a time."""

    def __init__(
        self,
        machine: Machine,
        *,
        most: int,
        items: int,
        counters: int,
        epsilon: float,
        query_every: int,
        seed: int,
        beside_real: bool = False,
    ) -> None:
        self.machine, self.most, self.items, self.seed, self._beside = machine, most, items, seed, beside_real
        self._answer = {"counters": counters, "epsilon": epsilon, "query_every": query_every}
        self._alpha: float | None = None
        self._streams: list[Items] = []

    def run(self, point: SimulatedPoint) -> dict[str, Any]:
        """The record of one point."""
        if point.alpha != self._alpha:
            self._streams = []
            self._streams = zipf_streams(point.alpha, self.most + 1, self._made, self.seed)
            self._alpha = point.alpha
        items = items_of(point.design, point.cores, self.items)
        before, each = self._streams[-1][:BEFORE], self._streams[: point.cores]

        def simulate() -> dict[str, Any]:
            streams = Streams([stream[:items] for stream in each], before, each[0][:BEFORE])
            return simulated(point.design, point.alpha, streams, self.machine, **self._answer)  # type: ignore[arg-type]

        if not (self._beside and fits_here(point.cores)):
            return simulate()
        counters, every = self._answer["counters"], self._answer["query_every"]
        longer = [stream if steps_by_item(DESIGNS[point.design]) else np.tile(stream, TILES) for stream in each]
        real = partial(counted_a_second, point.design, Streams(longer, before, before), int(counters), int(every))
        return beside(real, simulate, "updates_per_second")

    @property
    def _made(self) -> int:
        """Items of a stream: a real run is to last longer than it takes threads to begin."""
        return max(self.items, BEFORE, ITEMS_OF_REAL if self._beside else 0)


def counted_a_second(name: str, streams: Streams, counters: int, query_every: int) -> float:
    """Items that as many real threads as there are streams count in a second, by the design of this ``name``."""
    design = DESIGNS[name]
    summary = streams.summary(design, counters, simulated=False)
    every = query_every if design.queried else 0
    crew = StreamCrew(summary, list(streams.each), every, cores=cores_for(len(streams.each)))
    crew.run()
    return float(sum(map(len, streams.each)) / crew.seconds)


def simulate_topk(
    wanted: Sequence[SimulatedPoint],
    machine: Machine,
    *,
    items: int = ITEMS,
    counters: int = 10_000,
    epsilon: float = 1e-4,
    query_every: int = 50_000,
    seed: int = 1,
    beside_real: bool = False,
    report: Report = lambda what, fraction: None,
) -> list[dict[str, Any]]:
    """A simulated run of each point. ``items``: of a stream, see ``items_of``; the rest as of a top-k bench.

    ``beside_real``: real runs before and after each, on as many cores as there are.
    """
    most = max(point.cores for point in wanted)
    runs = Simulation(
        machine,
        most=most,
        items=items,
        counters=counters,
        epsilon=epsilon,
        query_every=query_every,
        seed=seed,
        beside_real=beside_real,
    )
    found = []
    for place, point in enumerate(wanted):
        report(f"simulating {point.title()}", place / len(wanted))
        found.append(runs.run(point))
    return found
