"""Claim 10: millions of tuples per second at a few milliseconds."""

from __future__ import annotations

import math
from statistics import median

from streambench.lab.claims.claim import (
    NOT_MEASURED,
    Claim,
    Evidence,
    Outcome,
    Part,
    Verdict,
    both,
    some,
    within,
    workers,
)
from streambench.lab.figures.selection import QUERIES, Point, Selection, interval, latency, throughput

MILLIONS = 1e6  # tuples per second
FEW_MILLISECONDS = 0.01


def judge(selection: Selection) -> Verdict:
    """On some query a configuration does more than a million tuples per second at a mean latency below 10 ms."""
    parts: list[Part] = []
    evidence: list[Evidence] = []
    for query in QUERIES:
        points = selection.where(query=query).points
        cases = sorted(((_case(query, point), _speed(point)) for point in points), key=_strongest)
        if not cases:
            parts.append(Part(query, Outcome.OPEN, NOT_MEASURED))
            continue
        best = cases[0][0]
        parts.append(Part(query, *both(best)))
        evidence += best
    return some(parts, evidence)


def _case(query: str, point: Point) -> list[Evidence]:
    """A configuration's throughput and latency."""
    at = f"{point['heuristic']}, {workers(point)}"
    speed, wait = interval(point.series(throughput)), interval(point.series(latency))
    return [
        within(f"{query} throughput", speed, MILLIONS, math.inf, at=at, unit="tuples/s", of=(point,)),
        within(f"{query} latency", wait, -math.inf, FEW_MILLISECONDS, at=at, unit="s", of=(point,)),
    ]


def _speed(point: Point) -> float:
    return median(point.series(throughput).values() or [0.0])


def _strongest(case: tuple[list[Evidence], float]) -> tuple[int, float]:
    """What holds first, then what is open; of these the fastest."""
    outcome, _ = both(case[0])
    return [Outcome.HOLDS, Outcome.OPEN, Outcome.FAILS].index(outcome), -case[1]


CLAIM = Claim(
    10,
    "Some queries do millions of tuples per second at a latency of a few milliseconds (below 10 ms).",
    "section 7.1",
    "8a",
    Selection.queries,
    judge,
)
