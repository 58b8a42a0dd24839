"""What has its latency measured: a stream by the engine or by its loop, at a rate or at full speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution import marker_statistics
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline, pinned
from streambench.lab.measure.perf.query_bars import COLUMNS_LIMIT, prolonged_workload
from streambench.lab.measure.perf.query_loop import QueryLoop, same
from streambench.lab.workloads.workload import Workload

ALL_AT_ONCE = 1e12  # tuples per second
LARGE = 4096  # tuples of a chunk: a look at the clock for each costs nothing


@dataclass(frozen=True)
class Loop:
    """A hand-written loop over ``tuples`` tuples. ``run`` takes a `Pace`, checks the run, and returns its seconds."""

    tuples: int
    paced: Callable[[float, int], Any]
    run: Callable[[Any], float]

    @property
    def speed(self) -> float:
        """Tuples per second of one run at full speed, counted as an engine's: between markers, without the ends."""
        pace = self.paced(ALL_AT_ONCE, LARGE)
        seconds = self.run(pace)
        index, _, left = pace.markers()
        return marker_statistics.throughput(index, left, self.tuples, seconds)

    def latency(self, rate: float, most: int) -> dict[str, float]:
        """At a rate, in chunks of at most ``most`` tuples: quantiles in seconds, and those from arrival."""
        pace = self.paced(rate, most)
        self.run(pace)
        index, entered, left = pace.markers()
        return _both(marker_statistics.latency(entered, left), marker_statistics.latency(index / rate, left))


@dataclass(frozen=True)
class Subject:
    """``run`` executes it with options, ``loop`` makes its loop: over streams of about so many tuples.

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
        """As `Loop.latency`; and the ``backlog``: the part of the stream that waits when its last tuples have come."""
        measured = self.run(Options.of(options, rate=rate), tuples)
        due, left = measured.due, measured.markers[2]
        assert measured.latency_end_to_end is not None, "there is a rate"
        assert due is not None, "there is a rate"
        backlog = marker_statistics.late_at_the_end(due, left) * rate / measured.tuples
        return {**_both(measured.latency, measured.latency_end_to_end), "backlog": backlog}


def _both(processing: dict[str, float], arrival: dict[str, float]) -> dict[str, float]:
    return {**processing, **{f"arrival {quantile}": value for quantile, value in arrival.items()}}


def of_micro(name: str, base: MicroPipeline) -> Subject:
    """The micro pipeline, with as much work as ``base``."""

    def of(tuples: int) -> MicroPipeline:
        return MicroPipeline(tuples, base.map_work, base.keyed_work)

    def run(options: Options, tuples: int) -> Measurement:
        micro = of(tuples)
        return micro.engine(Options.of(options, laps=micro.laps))[1]

    def loop(tuples: int) -> Loop:
        micro = of(tuples)
        return Loop(micro.total, micro.paced, lambda pace: micro.checked(micro.loop(pace), "the loop").seconds)

    return Subject(name, run, loop, base.tuples)


def of_query(workload: Workload) -> Subject:
    """A query. Its runs raise StreambenchError for a wrong output sequence."""

    def run(options: Options, tuples: int) -> Measurement:
        laps = _laps(workload, tuples)
        measured, pipeline = workload.run(Options.of(options, laps=laps), keep=False)
        if pipeline.sink.digest != workload.serial_digest(laps):
            raise StreambenchError(f"{workload.name}: the output sequence is not the serial engine's.")
        return measured

    def loop(tuples: int) -> Loop:
        assert workload.stream is not None
        most = COLUMNS_LIMIT // max(1, sum(column.nbytes for column in workload.stream.columns))
        one = QueryLoop(prolonged_workload(workload, max(1, min(_laps(workload, tuples), most))))
        _, right = one.run()

        def run(pace: Any) -> float:
            with pinned():
                seconds, left = one.run(pace)
            if not same(left, right):
                raise StreambenchError(f"{workload.name}: two runs of the loop did not leave the same.")
            return seconds

        return Loop(len(one.columns[0]), one.paced, run)

    return Subject(workload.name, run, loop, workload.rows)


def _laps(workload: Workload, tuples: int) -> int:
    return max(1, -(-tuples // max(1, workload.rows)))
