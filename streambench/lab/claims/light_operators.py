"""Claim 7: non-blocking reordering is ahead of locks where operators are light."""

from __future__ import annotations

from streambench.lab.claims.claim import Claim, Evidence, Verdict, compare, every, needs_cores, shown, side_by_side
from streambench.lab.figures import reordering
from streambench.lab.figures.selection import Selection, cost_of_first, throughput

CONTENDERS = 4  # of two workers one at most waits for the lock, and the other is soon done


def judge(selection: Selection) -> Verdict:
    """Throughput with non-blocking reordering over that with a lock, at the most workers, is above 1.

    What the lock adds to the cost of a tuple is shown.
    """
    evidence: list[Evidence] = []
    names = list(dict.fromkeys(map(reordering.workload, selection.points)))
    for each in names or [""]:
        points = selection.where(lambda point, each=each: reordering.workload(point) == each)  # type: ignore[misc]
        name = f"{each} " if len(names) > 1 else ""
        ours, lock = side_by_side(points, "reorder", "nonblocking", "lock")
        evidence.append(contended(compare(f"{name}nonblocking/lock", ours, lock, throughput, 1.0), selection))
        evidence.append(shown(compare(f"{name}cost, lock/nonblocking", lock, ours, cost_of_first, 1.0)))
    return every(evidence)


def contended(evidence: Evidence, selection: Selection) -> Evidence:
    """Evidence of an effect that only several workers have, who want to put outputs in order at the same time."""
    return needs_cores(evidence, selection, CONTENDERS, "few workers wait for a lock")


CLAIM = Claim(
    7,
    "For a light stateless operator non-blocking reordering scales better than a lock.",
    "section 7.3.1, figure 12",
    "12",
    reordering.select_light,
    judge,
)
