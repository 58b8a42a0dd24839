"""What the paper says of 8, 12 and 16 cores, looked for in a simulation whose operators cost what the paper says.

A check of the simulator from outside: nothing of it was fitted to these statements. But of the queries' operators the
paper's text gives no cost; what was assumed is told in ``streambench.lab.measure.simulation.paper_costs``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from streambench.errors import StreambenchError
from streambench.lab.claims.claim import Evidence, Outcome, Verdict, compare, every, within
from streambench.lab.figures import reordering, skew
from streambench.lab.figures.selection import (
    QUERIES,
    Measure,
    Point,
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
    chosen = selection.where(unit=mode.unit, fuse=mode.fuse)
    return [(statement, _simulated(statement.judge(chosen))) for statement in STATEMENTS]


def _simulated(verdict: Verdict) -> Verdict:
    return replace(verdict, why=verdict.why.replace("not measured", "not simulated"))


def _ct(selection: Selection) -> Selection:
    return selection.where(heuristic="ct", reorder="nonblocking", partitioning="hybrid")


def _at(selection: Selection, workers: int) -> Point | None:
    return next(iter(selection.where(workers=workers).best()), None)


def _cores(selection: Selection) -> Iterator[int]:
    """Those of the statements that were simulated, or all, where none was."""
    there = {point["workers"] for point in selection.points}
    yield from [each for each in AT if each in there] or AT


def linear(selection: Selection) -> Verdict:
    """CT's throughput at the cores named over as many times that at one is 0.8 or more."""
    evidence = []
    for query, cores in LINEAR_UP_TO.items():
        points = _ct(selection.queries().where(query=query))
        many, one = _at(points, cores), _at(points, 1)
        number = None
        if many is not None and one is not None:
            times = {repeat: cores * each for repeat, each in one.series(throughput).items()}
            number = ratio(many.series(throughput), times)
        evidence.append(within(f"{query}, {cores} cores", number, NEAR_LINEAR, math.inf, at=str(cores)))
    return every(evidence)


def no_further(selection: Selection) -> Verdict:
    """CT's throughput at the next number of cores that was simulated is no higher than at the one named."""
    evidence = []
    for query, cores in LINEAR_UP_TO.items():
        points = _ct(selection.queries().where(query=query))
        more = min((point["workers"] for point in points.points if point["workers"] > cores), default=cores)
        above, below = (_at(points, more), _at(points, cores)) if more > cores else (None, None)
        evidence.append(compare(f"{query}, {more}/{cores} cores", above, below, throughput, -math.inf, 1.0))
    return every(evidence)


def millions(selection: Selection) -> Verdict:
    """CT's throughput at the cores named is 1 million a second at least."""
    evidence = []
    for query, cores in LINEAR_UP_TO.items():
        found = _at(_ct(selection.queries().where(query=query)), cores)
        number = None if found is None else interval(found.series(throughput))
        evidence.append(within(query, number, 1e6, math.inf, at=str(cores), unit="tuples/s"))
    return every(evidence)


def _heuristics(
    selection: Selection, measure: Measure, ours: str, theirs: str, ranges: Mapping[str, tuple[float, float]]
) -> list[Evidence]:
    """One heuristic over another on each query, at the cores up to which it scales."""
    evidence = []
    points = selection.queries().where(reorder="nonblocking", partitioning="hybrid")
    for query, (low, high) in ranges.items():
        there = points.where(query=query)
        pair = (_at(there.where(heuristic=each), LINEAR_UP_TO[query]) for each in (ours, theirs))
        first, second = pair
        evidence.append(compare(f"{query} {ours}/{theirs}", first, second, measure, low, high))
    return evidence


def lp_level(selection: Selection) -> Verdict:
    """On Q1 and Q15 LP's throughput is 0.95 of CT's or more."""
    return every(_heuristics(selection, throughput, "lp", "ct", dict.fromkeys(("q1", "q15"), (SLACK, math.inf))))


def lp_behind(selection: Selection) -> Verdict:
    """On Q2, Q3 and Q4 LP's throughput is below CT's."""
    return every(_heuristics(selection, throughput, "lp", "ct", dict.fromkeys(("q2", "q3", "q4"), (-math.inf, 1.0))))


def et_and_qst_behind(selection: Selection) -> Verdict:
    """ET's and QST's throughput is below CT's and LP's on each query."""
    below = dict.fromkeys(QUERIES, (-math.inf, 1.0))
    pairs = [(ours, theirs) for ours in ("et", "qst") for theirs in ("ct", "lp")]
    return every([each for pair in pairs for each in _heuristics(selection, throughput, *pair, below)])


def lp_soonest(selection: Selection) -> Verdict:
    """LP's mean latency is below that of each other heuristic on each query."""
    above = dict.fromkeys(QUERIES, (1.0, math.inf))
    others = ("ct", "et", "qst")
    return every([each for other in others for each in _heuristics(selection, latency, other, "lp", above)])


def _skewed(selection: Selection, scheme: str, low: float, high: float) -> Verdict:
    points = skew.select(selection).where(skew.can_be_uneven, partitioning=scheme)
    sigmas = sorted({skew.sigma(point) for point in points.points})
    evidence = []
    for cores in _cores(points):
        skewed, even = (
            _at(points.where(lambda point, sigma=sigma: skew.sigma(point) == sigma), cores)  # type: ignore[misc]
            for sigma in (sigmas[:1] + sigmas[-1:] if len(sigmas) > 1 else (math.nan, math.nan))
        )
        subject = (
            f"{scheme}, sigma {sigmas[0]:g}/{sigmas[-1]:g}, {cores} cores" if sigmas else f"{scheme}, {cores} cores"
        )
        evidence.append(compare(subject, skewed, even, throughput, low, high))
    return every(evidence)


def hybrid_flat(selection: Selection) -> Verdict:
    """Hybrid's throughput at the smallest sigma over that at the largest is above 0.9, at 8, 12 and 16 cores."""
    return _skewed(selection, "hybrid", FLAT, math.inf)


def partitioned_falls(selection: Selection) -> Verdict:
    """Partitioned queues' is below 0.9."""
    return _skewed(selection, "partitioned", -math.inf, FLAT)


def _nonblocking(found: Selection) -> Verdict:
    evidence = []
    for cores in _cores(found):
        ours, lock = (_at(found.where(reorder=each), cores) for each in ("nonblocking", "lock"))
        evidence.append(compare(f"nonblocking/lock, {cores} cores", ours, lock, throughput, 1.0))
    return every(evidence)


def nonblocking_light(selection: Selection) -> Verdict:
    """Throughput with non-blocking reordering over that with a lock is above 1, for an operator of tens of µs."""
    return _nonblocking(reordering.select_light(selection))


def nonblocking_selective(selection: Selection) -> Verdict:
    """The same, for an operator of 100 µs with 50 outputs."""
    return _nonblocking(reordering.select_selective(selection))


def nonblocking_queries(selection: Selection) -> Verdict:
    """The same on each query, under CT, at the cores up to which it scales."""
    points = selection.queries().where(heuristic="ct", partitioning="hybrid")
    evidence = []
    for query, cores in LINEAR_UP_TO.items():
        ours, lock = (_at(points.where(query=query, reorder=each), cores) for each in ("nonblocking", "lock"))
        evidence.append(compare(f"{query} nonblocking/lock", ours, lock, throughput, 1.0))
    return every(evidence)


STATEMENTS = (
    Statement(
        "CT scales almost linearly up to 16 cores on Q1, 12 on Q15, 8 on Q2, Q3 and Q4", "7.1, figure 8a", linear
    ),
    Statement("and no further: with more cores it is no faster", "figure 8", no_further),
    Statement("there, it takes millions of tuples a second", "7.1", millions),
    Statement("LP is as fast as CT on Q1 and Q15", "7.1", lp_level),
    Statement("LP is behind CT on Q2, Q3 and Q4", "7.1", lp_behind),
    Statement("ET and QST are behind CT and LP", "7.1", et_and_qst_behind),
    Statement("LP has the lowest latency", "7.1, figure 8b", lp_soonest),
    Statement("under skew hybrid queues stay as fast", "7.2.1, figure 9", hybrid_flat),
    Statement("under skew partitioned queues fall", "7.2.1, figure 9", partitioned_falls),
    Statement(
        "non-blocking is ahead of a lock where an operator takes tens of µs", "7.3.1, figure 12", nonblocking_light
    ),
    Statement("and at 100 µs with 50 outputs", "7.3.2, figure 13", nonblocking_selective),
    Statement("and on all queries", "7.3.3, figure 14", nonblocking_queries),
)

__all__ = ["STATEMENTS", "Outcome", "Statement", "judge_statements"]
