"""Claim 4: hybrid queues keep their speed-up under skew, partitioned queues do not."""

from __future__ import annotations

import math

from streambench.lab.claims.claim import Claim, Evidence, Verdict, every, within, workers
from streambench.lab.figures import skew
from streambench.lab.figures.selection import Point, Selection, ratio

FLAT = 0.9  # of the speed-up without skew is left


def judge(selection: Selection) -> Verdict:
    """Speed-up at the smallest sigma over that at the largest, at the most workers: above and below 0.9.

    Only of points whose partitions skew can make uneven: of two ranges it says nothing.
    """
    evidence: list[Evidence] = []
    for scheme, low, high in (("hybrid", FLAT, math.inf), ("partitioned", -math.inf, FLAT)):
        skewed, even = _ends(selection.where(skew.can_be_uneven, partitioning=scheme))
        number = None
        serial: list[Point | None] = []
        subject = f"{scheme}, skewed/even"
        if skewed is not None and even is not None:
            serial = [selection.serial_of(point) for point in (skewed, even)]
            number = ratio(selection.speed_up(skewed), selection.speed_up(even))
            subject = f"{scheme}, sigma {skew.sigma(skewed):g}/{skew.sigma(even):g}"
        of = (skewed, even, *serial)
        evidence.append(within(subject, number, low, high, at=workers(skewed, even), of=of))
    return every(evidence)


def _ends(selection: Selection) -> tuple[Point | None, Point | None]:
    """The most and the least skewed point at the most workers, of the operator that was measured at most sigmas."""
    points = selection.best("workers")
    most = max((point["workers"] for point in points), default=0)
    alike: dict[str, dict[float, Point]] = {}
    for point in points:
        if point["workers"] == most:
            alike.setdefault(skew.apart_from_sigma(point), {})[skew.sigma(point)] = point
    found = max(alike.values(), key=len, default={})
    return (found[min(found)], found[max(found)]) if len(found) > 1 else (None, None)


CLAIM = Claim(
    4,
    "As keys get skewed, the speed-up of hybrid queues stays and that of partitioned queues falls.",
    "section 7.2.1, figure 9",
    "9",
    skew.select,
    judge,
)
