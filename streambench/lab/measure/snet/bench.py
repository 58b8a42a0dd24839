"""`streambench bench snet`: what is measured of S-NET's runtimes, its presets, and one run, whose answer is checked."""

from __future__ import annotations

import math
import re
import resource
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, TypeVar, get_args

from streambench.errors import OptionError
from streambench.execution.resources import Account, account
from streambench.host import core_distance
from streambench.host.meanwhile import Meanwhile
from streambench.host.ready_memory import make_ready
from streambench.lab.host.blas import limit_blas
from streambench.lab.measure.frame import Bench, BenchCall
from streambench.lab.measure.named import require_choices, require_once
from streambench.lab.measure.repeats import require_repeats
from streambench.lab.measure.snet.cases import CASES
from streambench.lab.record.journal import Record
from streambench.lab.record.snet_summary import KIND, described
from streambench.snet.boxes import Concurrency
from streambench.snet.net import DiscardedRecordsWarning, Runtime

T = TypeVar("T")

MOST_WORKERS = 64
RUN_SECONDS = 0.3
MOST_LAPS = 1 << 10
CHOLESKY = "cholesky"
PAPER: Mapping[str, Sequence[int]] = {
    "fibonacci": (12, 16, 20, 24),
    "power-of-two": (8, 11, 14),
    "sieve-star": (250, 500),
    "sieve-feedback": (250, 500, 1000),
    "sieve-blocks": (8_000_000,),
    "filters": (1_000_000,),
    "stap-like": (40,),
}
QUICK: Mapping[str, Sequence[int]] = {
    "fibonacci": (12, 20),
    "power-of-two": (8,),
    "sieve-star": (100,),
    "sieve-feedback": (500,),
    "sieve-blocks": (2_000_000,),
    "filters": (100_000,),
    "stap-like": (8,),
}
THREADS_UP_TO = {"fibonacci": 20, "power-of-two": 11, "sieve-star": 500, "filters": 10_000}
"""Sizes that the runtime with a thread for each entity is asked for: more take minutes, or too many threads."""
MOST_TILES = 40
"""In a row of a matrix, up to which that runtime is asked: there is a thread for each tile of each column, and more."""


class SnetPoint(NamedTuple):
    """What is run, and by whom. ``tile``: the size of a matrix's tiles, else 0; ``concurrency``: calls of one box."""

    case: str
    size: int
    tile: int
    runtime: str
    workers: int
    concurrency: int

    def title(self) -> str:
        """``fibonacci 12, front, 2 workers``."""
        return described(*self)


@dataclass(frozen=True)
class SnetBench(Bench):
    """Every case in each of its ``sizes`` by FRONT with so many ``workers``, and by a thread for each entity.

    ``cholesky``: sizes of matrices and of their tiles, as "4096/64". ``concurrency``: calls of one box at a time, where
    there are several workers and the case is about that. ``seconds``: that a run takes at least; a short program is run
    again and again for it. Raises OptionError for what there is not.
    """

    kind = KIND
    growing = ("cases", "sizes", "cholesky", "workers", "concurrency", "repeats")

    cases: Sequence[str] = tuple(CASES)
    sizes: Mapping[str, Sequence[int]] = field(default_factory=lambda: PAPER)
    cholesky: Sequence[str] = ("2048/64", "4096/128")
    workers: Sequence[int] = (1, 2)
    concurrency: Sequence[int] = (1, 2, 4, 9)
    repeats: int = 7
    seconds: float = RUN_SECONDS

    def __post_init__(self) -> None:
        require_choices("case", self.cases, CASES)
        require_once("number of workers", self.workers)
        require_once("number of calls", self.concurrency)
        require_once("matrix", self.cholesky)
        for each in self.cholesky:
            _matrix(each)
        for name, values in (("workers", self.workers), ("concurrency", self.concurrency)):
            if not all(1 <= each <= MOST_WORKERS for each in values):
                raise OptionError(f"`{name}` must be from 1 to {MOST_WORKERS}, not {', '.join(map(str, values))}.")
        require_repeats(self.repeats)
        if not (math.isfinite(self.seconds) and 0 < self.seconds <= 3600):
            raise OptionError(f"`seconds` must be more than 0 and at most 3600, not {self.seconds:g}.")

    def points(self) -> list[SnetPoint]:
        """All that is measured; those of one case and size are neighbours."""
        points = []
        for case in self.cases:
            for size, tile in self._sizes(case):
                for workers in self.workers:
                    several = self.concurrency if CASES[case].concurrency and workers > 1 else (1,)
                    points += [SnetPoint(case, size, tile, "front", workers, each) for each in several]
                if size <= THREADS_UP_TO.get(case, size) and (not tile or size <= MOST_TILES * tile):
                    points.append(SnetPoint(case, size, tile, "threads", 1, 1))
        return points

    def plain(self) -> dict[str, Any]:
        """All of it as plain values: two are the same if and only if these are equal."""
        return {**super().plain(), "sizes": {case: list(self.sizes[case]) for case in self.cases if case != CHOLESKY}}

    def runs(self, call: BenchCall) -> list[Record]:
        """Case by case and size by size, of each every point."""
        groups = [list(own) for _, own in groupby(self.points(), lambda point: (point.case, point.size, point.tile))]
        whole = sum(map(len, groups))
        runs: list[Record] = []
        done = 0
        for place, own in enumerate(groups):
            call.limit.begin_part(len(groups) - place)
            share = done / whole, (done + len(own)) / whole
            runs += call.interleaved(own, self.repeats, partial(self._checked, call), SnetPoint.title, share)
            done += len(own)
        return runs

    def _checked(self, call: BenchCall, point: SnetPoint, repeat: int) -> Record:
        """A run that lasts as long as is wanted; one whose answer is wrong stays at one lap."""

        def lasting() -> Record:
            seconds = checked(point, repeat)["seconds"]
            return {"laps": 1 if seconds is None else min(MOST_LAPS, math.ceil(self.seconds / seconds))}

        laps = call.step("length", " ".join(map(str, point)), lasting)["laps"]
        return checked(point, repeat, int(laps))

    def _sizes(self, case: str) -> Iterator[tuple[int, int]]:
        if case == CHOLESKY:
            yield from map(_matrix, self.cholesky)
        else:
            yield from ((size, 0) for size in self.sizes[case])


def _matrix(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", text)
    if not match:
        raise OptionError(f"`cholesky` takes sizes of matrix and tile as 4096/64, not {text!r}.")
    size, tile = int(match[1]), int(match[2])
    if size % tile:
        raise OptionError(f"`cholesky` takes tiles that divide the matrix: {size} is no multiple of {tile}.")
    return size, tile


PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "quick": {"sizes": QUICK, "cholesky": ("512/32",), "concurrency": (1, 4), "repeats": 3},
    "big": {"cholesky": ("4096/64", "8192/128"), "workers": (1, 2, 4, 8, 16)},
}
"""`paper`: the sizes of section 5 that two cores can do. `quick`: smaller ones, in about a minute. `big`: the
paper's own matrices, for a machine with cores to spare."""


def checked(point: SnetPoint, repeat: int, laps: int = 1) -> Record:
    """A measured run of ``laps`` as a record; one of which an answer is wrong has no number.

    ``seconds``: of a lap, from the program, flattened, to the last record that leaves; its parsing is left out.
    """
    assert point.runtime in get_args(Runtime)
    case = CASES[point.case]
    net = case.net()
    blas_threads = limit_blas(1)
    make_ready()
    distance = core_distance.longest() if point.workers > 1 else None
    runtime: Any = point.runtime
    calls = None if point.concurrency == 1 else Concurrency(others=point.concurrency)
    whole = Laps()
    with warnings.catch_warnings(action="ignore", category=DiscardedRecordsWarning), Meanwhile() as meanwhile:
        while whole.count < laps and whole.problem is None:
            records = case.records(point.size, point.tile)
            run = partial(net.run, records, case.boxes, runtime=runtime, workers=point.workers, concurrency=calls)
            answer = whole.timed(lambda run=run: list(run()))  # type: ignore[misc]
            whole.problem = case.problem(point.size, answer)
    seconds, problem = whole.seconds / whole.count, whole.problem
    box_calls = case.calls(point.size) if case.calls else None
    numbers = {
        "seconds": seconds,
        "calls_per_second": box_calls / seconds if box_calls else None,
        **account([whole.account], [1.0], len(records) * whole.count, meanwhile, (distance, None)),
    }
    return {
        **point._asdict(),
        "repeat": repeat,
        "laps": whole.count,
        **(numbers if problem is None else dict.fromkeys(numbers)),
        "problem": problem,
        "verified": problem is None,
        "core_round_trip_ns": distance,
        "blas_threads": blas_threads,
        "unpinned": [],
    }


class Laps:
    """What laps of one program took together. ``account``: of the process, as its threads come and go."""

    def __init__(self) -> None:
        self.count, self.seconds = 0, 0.0
        self.account: Account = (0, 0, 0)
        self.problem: str | None = None

    def timed(self, run: Callable[[], T]) -> T:
        """Run a lap."""
        before, begun = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        answer = run()
        self.seconds += time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        spent = int(cpu * 1e9), after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw
        self.account = tuple(map(sum, zip(self.account, spent, strict=True)))  # type: ignore[assignment]
        self.count += 1
        return answer
