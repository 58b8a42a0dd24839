"""Every point of heavy hitters on simulated cores."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from streambench.execution.resources import account
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.lab.measure.heavy_hitters.answer import wrong_answer
from streambench.lab.measure.heavy_hitters.designs import DESIGNS, OF_ONE_STREAM, USUAL
from streambench.lab.measure.heavy_hitters.run import cores_for
from streambench.lab.measure.heavy_hitters.simulated import Streams, profile, simulated, steps_by_item
from streambench.lab.measure.heavy_hitters.zipf_streams import ExactCounts, Items, zipf_streams
from streambench.lab.measure.validation.beside_profile import Beside
from streambench.lab.measure.validation.beside_real import beside_real, compare, fits_here
from streambench.lab.record.journal import Record
from streambench.lab.simulate.machine import Machine
from streambench.lab.simulate.times import Watched
from streambench.pyx.heavy_hitters.stream_crew import StreamCrew
from streambench.pyx.simulate.costs import Costs

CORES = (1, 2, 4, 8, 16, 32)  # the paper has up to 32 streams
ITEMS = 50_000  # of a stream
BY_STEP = 160_000  # of all streams together, of designs whose every item is many events; and
ITEMS_BY_STEP = 20_000  # of one
BEFORE = 100_000  # items that have been counted before
ITEMS_OF_REAL, LAPS = 500_000, 64  # of a stream of a real run, up to so many times: 256 MB
REAL_SECONDS = 0.25
VALUE = "updates_per_second"
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
    """Streams of one α are in memory at a time. ``most``: streams of any point. ``seconds``: about how long a real run
    lasts, where its streams have room."""

    def __init__(
        self,
        machine: Machine,
        *,
        most: int,
        items: int = ITEMS,
        counters: int = 10_000,
        epsilon: float = 1e-4,
        query_every: int = 50_000,
        seed: int = 1,
        beside_real: bool = False,
        seconds: float = REAL_SECONDS,
    ) -> None:
        self.machine, self.most, self.items, self.seed, self._beside = machine, most, items, seed, beside_real
        self.counters, self.epsilon, self.query_every, self.seconds = counters, epsilon, query_every, seconds
        self._alpha: float | None = None
        self._streams: list[Items] = []

    def run(self, point: SimulatedPoint) -> dict[str, Any]:
        """The record of one point."""
        if not (self._beside and fits_here(point.cores)):
            return self._simulate(point, self.machine)
        real, feed = self._real(point), partial(self._feed, point)
        simulate = partial(self._simulate, point)
        return beside_real(self.machine, point.cores, VALUE, real, feed, simulate, interrupted=False)

    def compare(self, point: SimulatedPoint, watched: deque[Watched] | None) -> tuple[Beside, Record, Machine]:
        """As of ``beside_real.compare``, beside real runs of the same."""
        real, feed = self._real(point), partial(self._feed, point)
        simulate = partial(self._simulate, point)
        return compare(self.machine, point.cores, VALUE, real, feed, simulate, watched, interrupted=False)

    def _streams_of(self, point: SimulatedPoint) -> tuple[list[Items], Items]:
        """One for each core, and what comes before."""
        if point.alpha != self._alpha:
            self._streams = []
            made = max(self.items, BEFORE, ITEMS_OF_REAL if self._beside else 0)
            self._streams = zipf_streams(point.alpha, self.most + 1, made, self.seed)
            self._alpha = point.alpha
        return self._streams[: point.cores], self._streams[-1][:BEFORE]

    def _simulated_streams(self, point: SimulatedPoint) -> Streams:
        each, before = self._streams_of(point)
        items = items_of(point.design, point.cores, self.items)
        return Streams([stream[:items] for stream in each], before, each[0][:BEFORE])

    def _feed(self, point: SimulatedPoint) -> Costs:
        design = DESIGNS[point.design]
        every = self.query_every if design.queried else 0
        return profile(design, self.counters, self._simulated_streams(point), self.machine, every)

    def _simulate(self, point: SimulatedPoint, machine: Machine, costs: Costs | None = None) -> dict[str, Any]:
        return simulated(
            point.design,
            point.alpha,
            self._simulated_streams(point),
            machine,
            counters=self.counters,
            epsilon=self.epsilon,
            query_every=self.query_every,
            costs=costs,
        )

    def _real(self, point: SimulatedPoint) -> Callable[[int], Record]:
        """Real runs of the design, on the same streams for longer: again and again from their beginning."""
        each, before = self._streams_of(point)
        known = ExactCounts([before, *each])
        again = ExactCounts(each)
        first = self._counted(point, Streams(each, before, before), known, 0)
        laps = max(1, min(LAPS, round(self.seconds / (first["seconds"] or self.seconds))))
        longer = Streams([np.tile(stream, laps) for stream in each], before, before)
        known.add(again, laps - 1)
        return partial(self._counted, point, longer, known)

    def _counted(self, point: SimulatedPoint, streams: Streams, exact: ExactCounts, repeat: int) -> Record:
        """A real run as a record; one whose answer is wrong has no number."""
        design = DESIGNS[point.design]
        summary = streams.summary(design, self.counters, simulated=False)
        every = self.query_every if design.queried else 0
        crew = StreamCrew(summary, list(streams.each), every, cores=cores_for(point.cores))
        distance = core_distance.longest(point.cores) if point.cores > 1 else None
        with Meanwhile() as meanwhile:
            crew.run()
        right = wrong_answer(summary.snapshot(), exact, self.epsilon) is None
        items = sum(map(len, streams.each))
        shares = [1 / point.cores] * point.cores
        taken = {
            "seconds": crew.seconds,
            VALUE: items / crew.seconds,
            **account(crew.accounts, shares, items, meanwhile, (distance, None)),
        }
        return {
            **(taken if right else dict.fromkeys(taken)),
            "repeat": repeat,
            "verified": right,
            "core_round_trip_ns": distance,
        }


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
