"""Claim 9: the queries are faster with non-blocking reordering than with locks."""

from __future__ import annotations

from streambench.lab.claims.claim import Claim, Evidence, Verdict, at_peak, compare, every, shown
from streambench.lab.claims.light_operators import contended
from streambench.lab.figures import peaks
from streambench.lab.figures.selection import QUERIES, Selection, throughput


def judge(selection: Selection) -> Verdict:
    """Peak throughput with non-blocking reordering over that with a lock is above 1; against tickets it is shown."""
    evidence: list[Evidence] = []
    for query in QUERIES:
        points = selection.where(query=query)
        for other in ("lock", "ticket"):
            pair = at_peak(points, "reorder", "nonblocking", other)
            found = contended(compare(f"{query} nonblocking/{other}", *pair, throughput, 1.0), points)
            evidence.append(found if other == "lock" else shown(found))
    return every(evidence)


CLAIM = Claim(
    9,
    "Non-blocking reordering reaches a higher peak throughput than a lock on all five queries.",
    "section 7.3.3, figure 14",
    "14",
    peaks.select_reorders,
    judge,
)
