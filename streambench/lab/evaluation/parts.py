"""The parts of an evaluation, most telling first: each is one command of `streambench`, sized for cores and seconds.

Where time is short a part has fewer points, not shorter runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from streambench.lab.measure.perf.sections.micro import doublings
from streambench.lab.measure.snet.bench import MOST_WORKERS
from streambench.lab.measure.topk.bench import MOST_STREAMS

QUERIES = ("q1", "q2", "q4", "q3", "q15", "ysb")
SECONDS_OF_A_QUERY = 4.0  # load it, calibrate it and measure it once
SCALING_CASES, PLANS_CASES = 12, 6
SHORT, LONG = 25.0, 150.0  # seconds; with fewer a part keeps to few points, from the second on it has all


@dataclass(frozen=True)
class Share:
    """What a part gets: ``cores`` of the machine and about ``seconds``. ``data``, ``sweep_data``: data directories.

    Where a directory is None, the command generates its own data.
    """

    cores: int
    seconds: float
    data: Path | None = None
    sweep_data: Path | None = None

    @property
    def workers(self) -> str:
        """1, 2, 4 and so on to all cores, for the command line."""
        return ",".join(map(str, doublings(self.cores)))

    @property
    def is_short(self) -> bool:
        """Whether there is time for the first points only."""
        return self.seconds < SHORT


@dataclass(frozen=True)
class EvaluationPart:
    """``weight``: of its share of the time. ``words``: the command line after `streambench`."""

    name: str
    told: str
    weight: float
    words: Callable[[Share], list[str]]


def _bench(share: Share) -> list[str]:
    queries = QUERIES[: max(1, min(len(QUERIES), int(share.seconds / SECONDS_OF_A_QUERY)))]
    # A round of a query takes about three runs of one worker, which last half as many times as long as there are cores.
    seconds = _between(0.03, share.seconds / len(queries) / 4 / max(2, share.cores), 1.0)
    points = f"--queries {','.join(queries)} --workers {share.workers} --run-time {seconds:.3f}s"
    return _words(f"bench queries --no-figures {points}", share.data)


def _scaling(share: Share) -> list[str]:
    runs = 2 * len(doublings(share.cores))
    seconds = _between(0.02, share.seconds / SCALING_CASES / (4 * runs + share.cores), 0.5)
    return _words(f"bench perf --no-figures --section scaling --workers {share.workers} --run-time {seconds:.3f}s")


def _plans(share: Share) -> list[str]:
    seconds = _between(0.02, share.seconds / PLANS_CASES / (100 + 4 * share.cores), 0.3)
    points = f"--section plans --case quiet --workers {share.cores} --run-time {seconds:.3f}s"
    return _words(f"bench perf --no-figures {points}", share.data)


def _sweep(share: Share) -> list[str]:
    workers = ",".join(map(str, sorted({max(1, share.cores // 4), share.cores})))
    points = ""
    if share.is_short:
        points = "--figures 8,12 --queries q4 --repeats 1"
    elif share.seconds < LONG:
        points = "--queries q1,q2,q4 --micro sl,ps,sl-ps --repeats 2"
    budget = f"--budget {0.75 * share.seconds:.1f}s"
    return _words(f"bench sweep --preset quick --workers {workers} {points} {budget}", share.sweep_data)


def _joins(share: Share) -> list[str]:
    few = "--join scale --tiers simd,index" if share.seconds < LONG else ""
    points = f"--workers {share.workers} --windows 1 --studies 8a --no-gates {few}"
    return _words(f"bench joins --no-figures {points}")


def _topk(share: Share) -> list[str]:
    streams = ",".join(str(count) for count in doublings(min(MOST_STREAMS, max(2, share.cores))) if count > 1)
    few = "--alphas 0.5,1.5" if share.seconds < LONG else "--alphas 0.5,1.5,2.5"
    few = "--alphas 1.5 --figures 5,6" if share.is_short else few
    return _words(f"bench topk --no-figures --streams {streams} --failing 0 {few}")


def _snet(share: Share) -> list[str]:
    few = "--cases fibonacci,sieve-feedback" if share.is_short else "--cholesky 2048/64"
    workers = ",".join(map(str, doublings(min(MOST_WORKERS, share.cores))))
    return _words(f"bench snet --no-figures --workers {workers} {few}")


PARTS = (
    EvaluationPart("bench", "the queries, by one thread and by the ordered engine, over workers", 26, _bench),
    EvaluationPart("scaling", "parametric pipelines over workers, beside as many loops at once", 24, _scaling),
    EvaluationPart("plans", "plans by hand beside the chosen one, at all cores", 13, _plans),
    EvaluationPart("sweep", "paper 000: heuristics, partitioning and reordering", 13, _sweep),
    EvaluationPart("joins", "paper 001: joins over threads", 9, _joins),
    EvaluationPart("topk", "paper 002: top-k over threads", 7, _topk),
    EvaluationPart("snet", "paper 004: FRONT over workers", 8, _snet),
)
NAMES = tuple(part.name for part in PARTS)


def _words(command: str, data: Path | None = None) -> list[str]:
    return [*command.split(), *([] if data is None else ["--data", str(data)])]


def _between(least: float, value: float, most: float) -> float:
    return min(most, max(least, value))
