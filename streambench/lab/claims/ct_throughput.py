"""Claim 1: CT is the fastest heuristic."""

from __future__ import annotations

from streambench.lab.claims.claim import Claim, Evidence, Verdict, at_peak, compare, every, shown
from streambench.lab.figures import heuristics
from streambench.lab.figures.selection import QUERIES, Selection, throughput

LEVEL = {("q1", "lp"), ("q15", "lp")}  # where the paper sees no difference
SLACK = 0.95  # level: not more than 5 % behind


def judge(selection: Selection) -> Verdict:
    """CT's peak throughput over each of the paper's other heuristics' is above 1, or, where they are level, 0.95."""
    evidence: list[Evidence] = []
    for query in QUERIES:
        points = selection.where(query=query)
        for other in ("qst", "lp", "et", "walk"):
            low = SLACK if (query, other) in LEVEL else 1.0
            found = compare(f"{query} ct/{other}", *at_peak(points, "heuristic", "ct", other), throughput, low)
            evidence.append(found if other != "walk" else shown(found))
    return every(evidence)


CLAIM = Claim(
    1,
    "Of the paper's four heuristics CT has the highest throughput on all five queries; LP is level on Q1 and Q15.",
    "section 7.1, figure 8a",
    "8a",
    heuristics.select,
    judge,
)
