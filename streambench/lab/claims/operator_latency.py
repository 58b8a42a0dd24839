"""Claim 5: in a hybrid queue a tuple takes about the operator's cost, in a partitioned one much longer."""

from __future__ import annotations

import math

from streambench.lab.claims.claim import Claim, Evidence, Verdict, compare, every, side_by_side, within, workers
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.operator_latency import own_cost, select
from streambench.lab.figures.selection import Selection, interval, operator_latency

COSTS_US = (10.0, 100.0, 1_000.0, 10_000.0)
NEAR = 2.0  # times the operator's cost
MUCH = 2.0  # times the latency with hybrid queues


def judge(selection: Selection) -> Verdict:
    """At each cost: hybrid's mean latency over the cost is below 2, partitioned's over hybrid's above 2."""
    evidence: list[Evidence] = []
    for cost in COSTS_US:
        points = selection.where(lambda point, cost=cost: point.operators[0]["cost_us"] == cost)  # type: ignore[misc]
        partitioned, hybrid = side_by_side(points, "partitioning", "partitioned", "hybrid")
        hybrid = hybrid or max(
            points.where(partitioning="hybrid").best(), key=lambda point: point["workers"], default=None
        )
        number = None
        if hybrid is not None:
            own = own_cost(hybrid)
            number = interval({repeat: each / own for repeat, each in hybrid.series(operator_latency).items()})
        name = seconds(cost * 1e-6)
        evidence.append(within(f"{name} hybrid/cost", number, -math.inf, NEAR, at=workers(hybrid), of=(hybrid,)))
        evidence.append(compare(f"{name} partitioned/hybrid", partitioned, hybrid, operator_latency, MUCH))
    return every(evidence)


CLAIM = Claim(
    5,
    "With hybrid queues an operator's processing latency is near its cost (at most twice), from 10 to 10,000 µs a "
    "tuple; with partitioned queues it is more than twice as high as with hybrid ones.",
    "section 7.2.2, figure 10",
    "10",
    select,
    judge,
)
