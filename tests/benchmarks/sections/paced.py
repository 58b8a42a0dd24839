"""What has its latency measured: a stream by the engine or by its hand-fused loop, at a rate or at full speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fused.query import FusedQuery, same
from micro.pipeline import Micro, pinned
from query_bars import COLUMNS_LIMIT, prolonged_workload
from sections.query_streams import load, query_names
from sections.section import Plan, Tell
from sections.streams import stream

from streambench import statistics
from streambench.errors import StreambenchError
from streambench.execute import Measurement
from streambench.options import Options
from streambench.workload import Workload

ALL_AT_ONCE = 1e12  # tuples per second
LARGE = 4096  # tuples of a chunk: a look at the clock for each costs nothing


@dataclass(frozen=True)
class Loop:
    """A hand-fused loop over ``tuples`` tuples. ``run`` takes a `Pace`, checks the run, and returns its seconds."""

    tuples: int
    paced: Callable[[float, int], Any]
    run: Callable[[Any], float]

    @property
    def speed(self) -> float:
        """Tuples per second of one run at full speed, counted as an engine's: between markers, without the ends."""
        pace = self.paced(ALL_AT_ONCE, LARGE)
        seconds = self.run(pace)
        index, _, left = pace.markers()
        return statistics.throughput(index, left, self.tuples, seconds)

    def latency(self, rate: float, most: int) -> dict[str, float]:
        """Quantiles in seconds at a rate, in chunks of at most ``most`` tuples, and those from arrival."""
        pace = self.paced(rate, most)
        self.run(pace)
        index, entered, left = pace.markers()
        return _both(statistics.latency(entered, left), statistics.latency(index / rate, left))


@dataclass(frozen=True)
class Subject:
    """``run`` executes it with options, ``loop`` makes its hand-fused loop: over streams of about so many tuples.

    ``tuples``: a first guess for finding the highest rate.
    """

    name: str
    run: Callable[[Options, int], Measurement]
    loop: Callable[[int], Loop]
    tuples: int

    def speed(self, options: Options, tuples: int) -> float:
        """Tuples per second of one run at full speed."""
        return self.run(options, tuples).throughput

    def latency(self, options: Options, rate: float, tuples: int) -> dict[str, float]:
        """As `Loop.latency`."""
        measured = self.run(Options.of(options, rate=rate), tuples)
        assert measured.latency_end_to_end is not None, "there is a rate"
        return _both(measured.latency, measured.latency_end_to_end)


def _both(processing: dict[str, float], arrival: dict[str, float]) -> dict[str, float]:
    return {**processing, **{f"arrival {quantile}": value for quantile, value in arrival.items()}}


def subjects(plan: Plan, tell: Tell) -> list[Subject]:
    """The micro pipeline without work and with 100 ns; with data, the queries, too."""
    micros = [
        _micro("no work", stream(0, "map", plan.seconds)),
        _micro("100 ns, half and half", stream(100, "both", plan.seconds)),
        _micro("100 ns, keyed", stream(100, "keyed", plan.seconds)),
    ]
    return [*micros, *(_query(load(plan, name, tell)) for name in query_names(plan))]


def _micro(name: str, base: Micro) -> Subject:
    def of(tuples: int) -> Micro:
        return Micro(tuples, base.map_work, base.keyed_work)

    def run(options: Options, tuples: int) -> Measurement:
        micro = of(tuples)
        return micro.engine(Options.of(options, laps=micro.laps))[1]

    def loop(tuples: int) -> Loop:
        micro = of(tuples)
        return Loop(micro.total, micro.paced, lambda pace: micro.checked(micro.fused(pace), "the fused loop").seconds)

    return Subject(name, run, loop, base.tuples)


def _query(workload: Workload) -> Subject:
    def run(options: Options, tuples: int) -> Measurement:
        laps = _laps(workload, tuples)
        measured, pipeline = workload.run(Options.of(options, laps=laps), keep=False)
        if pipeline.sink.digest != workload.serial_digest(laps):
            raise StreambenchError(f"{workload.name}: the output sequence is not the serial engine's.")
        return measured

    def loop(tuples: int) -> Loop:
        assert workload.stream is not None
        most = COLUMNS_LIMIT // max(1, sum(column.nbytes for column in workload.stream.columns))
        fused = FusedQuery(prolonged_workload(workload, max(1, min(_laps(workload, tuples), most))))
        _, right = fused.run()

        def run(pace: Any) -> float:
            with pinned():
                seconds, left = fused.run(pace)
            if not same(left, right):
                raise StreambenchError(f"{workload.name}: two runs of the fused loop did not leave the same.")
            return seconds

        return Loop(len(fused.columns[0]), fused.paced, run)

    return Subject(workload.name, run, loop, workload.rows)


def _laps(workload: Workload, tuples: int) -> int:
    return max(1, -(-tuples // max(1, workload.rows)))
