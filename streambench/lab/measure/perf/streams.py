"""What the sections measure: the micro pipeline's streams, by how much work there is and where, and the queries'; and
what measures them, in ns per tuple, each run checked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.data.catalog import Catalog
from streambench.lab.measure.perf.case import Tell
from streambench.lab.measure.perf.micro_pipeline import MicroPipeline, iterations_for
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.workloads.workload import Workload

LEAST_TUPLES = 100
BARE_NS = 1.1  # what a tuple takes without work: a guess, from which the length of a stream follows


def stream(ns: float, where: str, seconds: float, *, hot: float = 0.0) -> MicroPipeline:
    """A stream that one thread works on for about ``seconds``: ``ns`` of work per tuple, in ``where``.

    ``where``: ``map``, ``keyed`` or ``both`` (half and half). ``hot``: the share of one key.
    """
    shares = {"map": (1.0, 0.0), "keyed": (0.0, 1.0), "both": (0.5, 0.5)}[where]
    tuples = max(LEAST_TUPLES, int(seconds * 1e9 / (ns + BARE_NS)))
    in_map, in_keyed = (iterations_for(share * ns) for share in shares)
    return MicroPipeline(tuples, map_work=in_map, keyed_work=in_keyed, hot=hot)


def loop(micro: MicroPipeline) -> Callable[[], float]:
    """The hand-fused loop."""
    return lambda: micro.loop().ns


def loops(micro: MicroPipeline, threads: int) -> Callable[[], float]:
    """As many loops at the same time: the most that these cores give."""
    return lambda: micro.loops(threads).ns


def ordered(micro: MicroPipeline, workers: int, unit: int | None = None) -> Callable[[], float]:
    """The ordered engine; it chooses the unit where none is given."""
    options = Options(workers=workers, unit=unit, laps=micro.laps, preload=True)
    return lambda: micro.engine(options)[0].ns


def load(settings: PerfSettings, name: str, tell: Tell) -> Workload:
    """The query with its stream in memory, loaded once. Raises DataError for data that does not fit."""
    assert settings.data is not None
    tell("loading")
    return _loaded(settings.data, name)


@functools.cache
def _loaded(data: Path, name: str) -> Workload:
    return Workload(name, Catalog.open(data))


def timed(workload: Workload, options: Options) -> Callable[[], float]:
    """A query by an engine. Raises StreambenchError for a wrong output sequence."""

    def run() -> float:
        measured, pipeline = workload.run(options, keep=False)
        if pipeline.sink.digest != workload.serial_digest(options.laps):
            raise StreambenchError(
                f"{workload.name}, {options.named_engine}, {settle(options).workers} workers: the output sequence is "
                "not the serial engine's."
            )
        return measured.seconds / measured.tuples * 1e9

    return run


def laps_for(workload: Workload, seconds: float, workers: int = 2) -> int:
    """Replays of the stream that keep so many workers busy for about ``seconds``; no more than fit."""
    laps = 1
    for _ in range(3):  # one lap alone is mostly a run's beginning
        measured, _ = workload.run(Options(workers=workers, laps=laps, preload=True), keep=False)
        laps = min(max(1, round(laps * seconds / measured.seconds)), workload.room.laps)
    return laps
