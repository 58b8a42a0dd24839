"""Claim 6: the queries are faster with hybrid than with partitioned queues."""

from __future__ import annotations

from streambench.lab.claims.claim import Claim, Evidence, Verdict, at_peak, compare, every, shown
from streambench.lab.figures import peaks
from streambench.lab.figures.selection import QUERIES, Selection, latency, throughput

UNCLEAR = "q15"  # in the paper, too: its ten categories leave little to be done at the same time


def judge(selection: Selection) -> Verdict:
    """Peak throughput with hybrid over that with partitioned queues is above 1; latency at these points is shown."""
    evidence: list[Evidence] = []
    for query in QUERIES:
        pair = at_peak(selection.where(query=query), "partitioning", "hybrid", "partitioned")
        faster = compare(f"{query} hybrid/partitioned", *pair, throughput, 1.0)
        evidence.append(shown(faster) if query == UNCLEAR else faster)
        evidence.append(shown(compare(f"{query} latency, partitioned/hybrid", pair[1], pair[0], latency, 1.0)))
    return every(evidence)


CLAIM = Claim(
    6,
    "Hybrid queues reach a higher peak throughput than partitioned queues on all queries but Q15.",
    "section 7.2.3, figure 11",
    "11",
    peaks.select_partitionings,
    judge,
)
