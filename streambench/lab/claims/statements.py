"""What the paper says of 8, 12 and 16 cores, looked for in a simulation whose operators cost what the paper says.

A check of the simulator from outside: nothing of it was fitted to these statements. But of the queries' operators the
paper's text gives no cost; what was assumed is told in ``streambench.lab.measure.simulation.paper_costs``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.claims.claim import (
    NOT_MEASURED,
    Comparison,
    Evidence,
    Evident,
    Groups,
    Outcome,
    Verdict,
    by_routing,
    compare,
    compared,
    every,
    fastest,
    within,
)
from streambench.lab.figures import sweeps
from streambench.lab.figures.points import Measure
from streambench.lab.figures.selection import (
    QUERIES,
    ConfigPoint,
    Selection,
    interval,
    latency,
    ratio,
    select,
    throughput,
)
from streambench.lab.measure.simulation.paper_costs import LINEAR_UP_TO
from streambench.lab.record.simulation_summary import KIND

AT = (8, 12, 16)
NEAR_LINEAR = 0.8  # of n times one core's: "almost linearly" is no number in the paper
SLACK = 0.95  # "performs as well": not more than 5 % behind
FLAT = 0.9  # of the speed-up without skew is left


@dataclass(frozen=True)
class Statement:
    """``text``: in our words. ``source``: where the paper says so."""

    text: str
    source: str
    judge: Callable[[Selection], Verdict]


def judge_statements(document: Mapping[str, Any]) -> list[tuple[Statement, Verdict]]:
    """Each statement and its verdict by a simulated sweep's document.

    Raises StreambenchError for a document of another kind, and for one whose operators cost what was measured.
    """
    if document.get("kind") != KIND:
        raise StreambenchError(
            f"statements are judged by a result of `streambench bench sweep --simulated`, and this is one of "
            f"{document.get('kind')}"
        )
    if document["parameters"]["costs"] != "paper":
        raise StreambenchError(
            "statements are judged by operators that cost what the paper says: simulate with "
            "`streambench bench sweep --simulated --costs-of paper`"
        )
    selection = select(document)
    if not selection.modes:
        raise StreambenchError("the result holds no run of the paper's schemes")
    mode = selection.modes[0]
    chosen = selection.in_mode(mode)
    judged = [(statement, statement.judge(chosen)) for statement in STATEMENTS]
    return [
        (each, replace(verdict, why=verdict.why.replace(NOT_MEASURED, "not simulated"))) for each, verdict in judged
    ]


def _ct(selection: Selection) -> Selection:
    return selection.where(heuristic="ct", reorder="nonblocking", partitioning="hybrid")


def _at(selection: Selection, workers: int) -> ConfigPoint | None:
    return next(iter(selection.where(workers=workers).best()), None)


def _by_cores(selection: Selection) -> list[tuple[str, Selection]]:
    """The numbers of cores of the statements that were simulated, or all, where none was."""
    there = {point["workers"] for point in selection.points}
    return [
        (f"{{}}, {cores} cores", selection.where(workers=cores))
        for cores in [each for each in AT if each in there] or AT
    ]


def _up_to(selection: Selection, queries: Iterable[str] = QUERIES) -> list[tuple[str, Selection]]:
    """Each query at the cores up to which it scales."""
    return [(f"{query} {{}}", selection.where(query=query, workers=LINEAR_UP_TO[query])) for query in queries]


def linear(selection: Selection) -> Iterator[Evidence]:
    """CT's throughput at the cores named over as many times that at one is 0.8 or more."""
    for query, cores in LINEAR_UP_TO.items():
        points = _ct(selection.queries().where(query=query))
        many, one = _at(points, cores), _at(points, 1)
        number = None
        if many is not None and one is not None:
            times = {repeat: cores * each for repeat, each in one.series(throughput).items()}
            number = ratio(many.series(throughput), times)
        yield within(f"{query}, {cores} cores", number, NEAR_LINEAR, math.inf, at=str(cores))


def no_further(selection: Selection) -> Iterator[Evidence]:
    """CT's throughput at the next number of cores that was simulated is no higher than at the one named."""
    for query, cores in LINEAR_UP_TO.items():
        points = _ct(selection.queries().where(query=query))
        more = min((point["workers"] for point in points.points if point["workers"] > cores), default=cores)
        above, below = (_at(points, more), _at(points, cores)) if more > cores else (None, None)
        yield compare(f"{query}, {more}/{cores} cores", above, below, throughput, -math.inf, 1.0)


def millions(selection: Selection) -> Iterator[Evidence]:
    """CT's throughput at the cores named is 1 million a second at least."""
    for query, cores in LINEAR_UP_TO.items():
        points = _at(_ct(selection.queries().where(query=query)), cores)
        number = None if points is None else interval(points.series(throughput))
        yield within(query, number, 1e6, math.inf, at=str(cores), unit="tuples/s")


def _heuristics(
    measure: Measure, ours: str, theirs: str, low: float, high: float = math.inf, queries: Iterable[str] = QUERIES
) -> Evident:
    """One heuristic over another on each query, at the cores up to which it scales."""
    return compared(
        lambda selection: _up_to(sweeps.of_heuristics(selection), queries),
        Comparison("heuristic", ours, theirs, measure, low, high, fastest),
    )


def _skewed(scheme: str, low: float, high: float, selection: Selection) -> Iterator[Evidence]:
    """A scheme's throughput at the smallest sigma over that at the largest, at 8, 12 and 16 cores."""
    points = sweeps.of_skew(selection).where(sweeps.can_be_uneven, partitioning=scheme)
    sigmas = sorted({sweeps.sigma(point) for point in points.points})
    over = f", sigma {sigmas[0]:g}/{sigmas[-1]:g}" if sigmas else ""
    for name, there in _by_cores(points):
        skewed, even = (
            next(iter(there.where(lambda point, sigma=sigma: sweeps.sigma(point) == sigma).best()), None)  # type: ignore[misc]
            for sigma in (sigmas[:1] + sigmas[-1:] if len(sigmas) > 1 else (math.nan, math.nan))
        )
        yield compare(name.format(f"{scheme}{over}"), skewed, even, throughput, low, high)


def _many_outputs(selection: Selection) -> list[tuple[str, Selection]]:
    return _by_cores(sweeps.of_many_outputs(selection))


def _nonblocking(groups: Groups, *, shown: bool = False) -> Evident:
    """Throughput with non-blocking reordering over that with a lock is above 1."""
    return compared(groups, Comparison("reorder", "nonblocking", "lock", throughput, pair=fastest, shown=shown))


STATEMENTS = (
    Statement(
        "CT scales almost linearly up to 16 cores on Q1, 12 on Q15, 8 on Q2, Q3 and Q4", "7.1, figure 8a", every(linear)
    ),
    Statement("and no further: with more cores it is no faster", "figure 8", every(no_further)),
    Statement("there, it takes millions of tuples a second", "7.1", every(millions)),
    Statement(
        "LP is as fast as CT on Q1 and Q15",
        "7.1",
        every(_heuristics(throughput, "lp", "ct", SLACK, queries=("q1", "q15"))),
    ),
    Statement(
        "LP is behind CT on Q2, Q3 and Q4",
        "7.1",
        every(_heuristics(throughput, "lp", "ct", -math.inf, 1.0, ("q2", "q3", "q4"))),
    ),
    Statement(
        "ET and QST are behind CT and LP",
        "7.1",
        every(*(_heuristics(throughput, *pair, -math.inf, 1.0) for pair in product(("et", "qst"), ("ct", "lp")))),
    ),
    Statement(
        "LP has the lowest latency",
        "7.1, figure 8b",
        every(*(_heuristics(latency, other, "lp", 1.0) for other in ("ct", "et", "qst"))),
    ),
    Statement(
        "under skew hybrid queues stay as fast", "7.2.1, figure 9", every(partial(_skewed, "hybrid", FLAT, math.inf))
    ),
    Statement(
        "under skew partitioned queues fall", "7.2.1, figure 9", every(partial(_skewed, "partitioned", -math.inf, FLAT))
    ),
    Statement(
        "non-blocking is ahead of a lock where an operator takes tens of µs",
        "7.3.1, figure 12",
        every(_nonblocking(lambda selection: _by_cores(sweeps.of_light_operators(selection)))),
    ),
    Statement(
        "and at 100 µs with 50 outputs",
        "7.3.2, figure 13",
        every(
            _nonblocking(by_routing("in-order", _many_outputs)),
            _nonblocking(by_routing("early", _many_outputs), shown=True),
        ),
    ),
    Statement(
        "and on all queries",
        "7.3.3, figure 14",
        every(_nonblocking(lambda selection: _up_to(sweeps.of_reorders(selection), LINEAR_UP_TO))),
    ),
)

__all__ = ["STATEMENTS", "Outcome", "Statement", "judge_statements"]
