"""The micro pipeline over a stream in memory, by the engines, as one loop and by oneTBB; every run is checked.

A stream of some 10,000 keys: source -> stateless map -> count by key -> sink that digests the sequence in order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import sched_setaffinity
from threading import Barrier
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.errors import StreambenchError
from streambench.execution.execute import execute
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import settle
from streambench.host.limits import allowed_cpus
from streambench.host.placement import core_order
from streambench.lab.measure.perf import onetbb
from streambench.pyx.table_source import TableSource
from streambench.queries.baselines.micro_loop import loop, time_work
from streambench.queries.baselines.micro_operators import Count, DigestSink, Map
from streambench.queries.baselines.pace import Pace

KEYS = 10_000
MOST_ROWS = 1 << 18  # a lap stays in the cache that cores share: there the loop is fastest
TRIES = 20  # the least of them is free of interruptions
Columns = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class Run:
    """One execution: how long it took, tuples, and the digest of its output sequence."""

    seconds: float
    tuples: int
    digest: str

    @property
    def ns(self) -> float:
        """Nanoseconds per tuple, over the whole run."""
        return self.seconds / self.tuples * 1e9


@dataclass(frozen=True)
class MicroPipeline:
    """A stream of ``tuples`` tuples, and the work that each operator does on a tuple, in iterations.

    ``hot``: the share of the tuples that have one and the same key; all others are spread evenly. ``lap``: the most
    tuples of a lap.
    """

    tuples: int
    map_work: int = 0
    keyed_work: int = 0
    hot: float = 0.0
    keys: int = KEYS
    seed: int = 1
    lap: int = MOST_ROWS

    @property
    def rows(self) -> int:
        """Tuples of a lap."""
        return min(self.tuples, self.lap)

    @property
    def laps(self) -> int:
        """How often the columns are replayed, at least once: there may be more than ``tuples`` tuples, never fewer."""
        return max(1, -(-self.tuples // max(1, self.rows)))

    @property
    def total(self) -> int:
        """Tuples of all laps."""
        return self.rows * self.laps

    def columns(self) -> Columns:
        """Key and value."""
        return _columns(self.rows, self.hot, self.keys, self.seed)

    def loop(self, pace: Any = None) -> Run:
        """The loop, in this thread, on the core that the first worker has.

        ``pace``: one of `paced`, where tuples arrive at a rate; else all of them are there.
        """
        return self.on_core(0, pace)

    def paced(self, rate: float, most: int = 1) -> Any:
        """A `Pace` for one run over the stream: tuples per second, and of a chunk."""
        return Pace(self.total, rate, most)

    def loops(self, threads: int) -> Run:
        """As many loops at the same time, each on a core of its own, each over the whole stream.

        They share nothing but the machine, so that no engine that shares one stream out can be faster for long.
        """
        self.columns()  # made once, by this thread
        ready = Barrier(threads)

        def one(core: int) -> Run:
            ready.wait()
            return self.on_core(core)

        with ThreadPoolExecutor(threads) as pool:
            runs = [self.checked(each, "a loop beside others") for each in pool.map(one, range(threads))]
        return Run(max(each.seconds for each in runs), sum(each.tuples for each in runs), runs[0].digest)

    def on_core(self, core: int, pace: Any = None) -> Run:
        """The loop, in this thread, on one of the allowed cores."""
        pace = pace or self.paced(0)
        with pinned(core):
            seconds, digest = loop(*self.columns(), self.keys, self.map_work, self.keyed_work, pace)
        return Run(seconds, self.total, digest)

    def pipeline(self) -> Pipeline:
        """The operators, to be executed with ``laps`` laps."""
        source = TableSource(self.columns(), ("key", "value"), laps=self.laps)
        return Pipeline([source, Map(self.map_work), Count(self.keys, self.keyed_work), DigestSink()])

    def engine(self, options: Options) -> tuple[Run, Measurement]:
        """An engine. Raises StreambenchError where its sequence is not the loop's."""
        pipeline = self.pipeline()
        measured = execute(pipeline, options)
        run = Run(measured.seconds, measured.tuples, pipeline.sink.digest)
        return self.checked(run, f"{options.named_engine}, {settle(options).workers} workers"), measured

    def peer(self, threads: int, token: int, live: int) -> Run:
        """The same operators by oneTBB, with tokens of ``token`` tuples, ``live`` of them under way.

        Raises StreambenchError as ``engine``, and where oneTBB's engine was not built.
        """
        pipeline = self.pipeline()
        begun = perf_counter()
        onetbb.execute(pipeline, threads, token, live)
        run = Run(perf_counter() - begun, self.total, pipeline.sink.digest)
        return self.checked(run, f"oneTBB, tokens of {token}")

    def checked(self, run: Run, who: str) -> Run:
        """The run itself. Raises StreambenchError where its sequence is not the loop's: it has no number then."""
        if run.digest != reference(self) or run.tuples != self.total:
            raise StreambenchError(f"{who}: the output sequence of {self} is not the loop's.")
        return run


_references: dict[MicroPipeline, str] = {}


def reference(micro: MicroPipeline) -> str:
    """The digest of the loop's sequence, computed once per stream."""
    if micro not in _references:
        know_references([micro])
    return _references[micro]


def know_references(streams: Iterable[MicroPipeline]) -> None:
    """Compute the references of several streams, on as many cores."""
    unknown = [each for each in dict.fromkeys(streams) if each not in _references]
    for each in unknown:
        each.columns()  # shared, so made by this thread
    with ThreadPoolExecutor(max(1, len(unknown))) as pool:
        runs = pool.map(MicroPipeline.on_core, unknown, range(len(unknown)))
        _references.update((each, run.digest) for each, run in zip(unknown, runs, strict=True))


@functools.lru_cache(maxsize=8)
def _columns(rows: int, hot: float, keys: int, seed: int) -> Columns:
    random = np.random.default_rng(seed)
    key = random.integers(0, keys, rows)
    key[random.random(rows) < hot] = keys // 2
    return key, random.integers(-(1 << 62), 1 << 62, rows)


@contextmanager
def pinned(core: int = 0) -> Iterator[None]:
    """Keep this thread on one of the allowed cores: where an engine has the worker of that number."""
    cpus = allowed_cpus()
    with suppress(OSError):  # a container may refuse it, as it does for an engine's workers
        sched_setaffinity(0, [core_order(tuple(cpus), Options.place)[core % len(cpus)]])
    try:
        yield
    finally:
        with suppress(OSError):
            sched_setaffinity(0, cpus)


@functools.cache
def iterations_for(ns: float) -> int:
    """The iterations whose work takes about ``ns`` nanoseconds per tuple, in a row of tuples; measured once.

    A core begins with a tuple's work before it has ended the last one's, so it is measured at the size in question.
    """
    if ns <= 0:
        return 0
    iterations = max(1, round(ns))
    for _ in range(2):  # at about a nanosecond each, then at what came out
        iterations = max(1, round(iterations * ns / _ns_of_work(iterations)))
    return iterations


def _ns_of_work(iterations: int) -> float:
    tuples = max(10, 200_000 // iterations)
    with pinned():
        return min(float(time_work(tuples, iterations)[0]) for _ in range(TRIES)) / tuples * 1e9
