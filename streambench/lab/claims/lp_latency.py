"""Claim 2: LP has the lowest latency, CT follows closely, ET and QST are far."""

from __future__ import annotations

from streambench.lab.claims.claim import Claim, Evidence, Verdict, compare, every, shown, side_by_side
from streambench.lab.figures import heuristics
from streambench.lab.figures.selection import QUERIES, Selection, latency

CLOSE = 2.0  # times LP's latency; what is more is far


def judge(selection: Selection) -> Verdict:
    """Mean latency over LP's at the most workers: from 1 to 2 for CT, above 2 for ET and QST."""
    evidence: list[Evidence] = []
    for query in QUERIES:
        points = selection.where(query=query)
        for other, low, high in (("ct", 1.0, CLOSE), ("et", CLOSE, float("inf")), ("qst", CLOSE, float("inf"))):
            pair = side_by_side(points, "heuristic", other, "lp")
            evidence.append(compare(f"{query} {other}/lp", *pair, latency, low, high))
        evidence.append(
            shown(compare(f"{query} walk/lp", *side_by_side(points, "heuristic", "walk", "lp"), latency, 1.0))
        )
    return every(evidence)


CLAIM = Claim(
    2,
    "LP has the lowest processing latency; CT's is close (at most twice as high), ET's and QST's are far higher.",
    "section 7.1, figure 8b",
    "8b",
    heuristics.select,
    judge,
)
