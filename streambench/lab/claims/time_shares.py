"""Claim 3: heuristics that divide worker time alike can still differ in throughput."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from streambench.lab.claims.claim import (
    NOT_MEASURED,
    Claim,
    Evidence,
    Outcome,
    Part,
    Verdict,
    compare,
    side_by_side,
    some,
    within,
    workers,
)
from streambench.lab.figures import heuristics
from streambench.lab.figures.selection import (
    QUERIES,
    Point,
    Selection,
    Series,
    interval,
    ratio,
    stage_seconds,
    throughput,
)

ALIKE = 0.1  # of all worker time is spent elsewhere
DIFFERENT = 1.1  # times the throughput


@dataclass(frozen=True)
class Case:
    """Two heuristics on a query: how far apart their shares are, and how much faster the faster one is."""

    apart: Evidence
    faster: Evidence

    @property
    def rank(self) -> int:
        """What the case says, strongest first: so; perhaps; not so; nothing, as the shares differ."""
        if self.apart.outcome is Outcome.FAILS:
            return 3
        if self.apart.outcome is Outcome.OPEN:
            return 1
        return {Outcome.HOLDS: 0, Outcome.OPEN: 1, Outcome.FAILS: 2}[self.faster.outcome]


def judge(selection: Selection) -> Verdict:
    """On some query two heuristics are less than 0.1 apart in their shares, and one is more than 1.1 times as fast."""
    parts: list[Part] = []
    evidence: list[Evidence] = []
    for query in QUERIES:
        points = selection.where(query=query)
        pairs = (side_by_side(points, "heuristic", *names) for names in combinations(("qst", "lp", "et", "ct"), 2))
        cases = [_case(query, first, second) for first, second in pairs if first is not None and second is not None]
        if not cases:
            parts.append(Part(query, Outcome.OPEN, NOT_MEASURED))
            continue
        telling = min(cases, key=lambda case: (case.rank, -(case.faster.number.median if case.faster.number else 0.0)))
        parts.append(_part(query, telling))
        evidence += [telling.apart, telling.faster]
    return some(parts, evidence)


def distance(first: Point, second: Point) -> Series:
    """By repeat, the share of worker time that one spends on other stages than the other (total variation distance)."""
    found: Series = {}
    for repeat in first.repeats.keys() & second.repeats.keys():
        ours, theirs = shares(stage_seconds(first.repeats[repeat])), shares(stage_seconds(second.repeats[repeat]))
        if ours and ours.keys() == theirs.keys():
            found[repeat] = 0.5 * sum(abs(ours[stage] - theirs[stage]) for stage in ours)
    return found


def shares(seconds: dict[str, float]) -> dict[str, float]:
    """Each stage's part of all worker time; empty where there was none."""
    total = sum(seconds.values())
    return {stage: each / total for stage, each in seconds.items()} if total > 0 else {}


def _case(query: str, first: Point, second: Point) -> Case:
    speed = ratio(first.series(throughput), second.series(throughput))
    if speed is not None and speed.median < 1:
        first, second = second, first
    names = f"{query} {first['heuristic']}/{second['heuristic']}"
    number = interval(distance(first, second))
    apart = within(f"{names} shares", number, -math.inf, ALIKE, at=workers(first), of=(first, second))
    return Case(apart, compare(names, first, second, throughput, DIFFERENT))


def _part(query: str, case: Case) -> Part:
    if case.rank == 3:
        return Part(query, Outcome.OPEN, "no two heuristics divide the time alike")
    if case.rank == 1:
        return Part(query, Outcome.OPEN, case.apart.why or case.faster.why)
    return Part(query, case.faster.outcome)


CLAIM = Claim(
    3,
    "Heuristics that spend nearly the same shares of worker time on the operators differ in throughput all the same.",
    "section 7.1, analysis",
    "8a",
    heuristics.select,
    judge,
)
