"""From the runs of `streambench bench peers` to a row for each query and peer: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from streambench.lab.record.point_summary import COUNTS, Field, Group, PointSummary, field, interval, shared
from streambench.lab.record.run import Row, Run
from streambench.lab.record.statistics import paired_ratio

KIND = "peers"
BASE = "ordered"
"""What every peer is compared with, repeat by repeat."""
TOLD = ("query", "peer", "version", "configuration", "streams", "order", "guarantees", "workers", "tuples")
QUANTILES = ("p50", "p99", "max")
MIB = 1 << 20


def notes(summary: Sequence[Row]) -> list[str]:
    """What each peer is set up like and guarantees, a line for each."""
    lines = {row["peer"]: row for row in summary}.values()
    return [f"{row['peer']} {row['version']}: {row['configuration']}. Order: {row['guarantees']}." for row in lines]


def _problem(group: Group) -> str | None:
    return next((run["problem"] for run in group.runs if not run.verified), None)


def _latency(group: Group) -> dict[str, float] | None:
    if not all(run["latency"] for run in group.runs):
        return None
    return {name: median(run["latency"][name] for run in group.runs) for name in QUANTILES}


def _ratio(group: Group) -> Mapping[str, Any] | None:
    base, laps = group.groups.get((group.point[0], BASE), ()), group.runs[0]["laps"]
    if not base or not all(run.verified for run in base):
        return None
    ours, theirs = ({run["repeat"]: _speed(run, laps) for run in each} for each in (base, group.runs))
    repeats = sorted(ours.keys() & theirs.keys())
    return paired_ratio([ours[each] for each in repeats], [theirs[each] for each in repeats]).plain()


def _speed(run: Run, laps: int) -> float:
    """Tuples per second over as many laps as the other side had, or else over one: like is compared with like."""
    return run.throughput if run["laps"] == laps else float(run["tuples"]) / run["laps"] / run["pass_seconds"]


SUMMARY = PointSummary(
    ("query", "peer"),
    (
        *shared(*TOLD, "laps"),
        *COUNTS,
        Field("problem", _problem, always=True),
        *shared("start_seconds", "first_seconds"),
        field("seconds"),
        field("throughput"),
        field("throughput_interval", interval, "throughput"),
        Field("ratio", _ratio),
        Field("latency", _latency),
        field("pass_seconds"),
        field("peak_memory", max),
    ),
    lambda row: f"{row['query']}, {row['peer']}: {row['problem']}",
)
rows, wrong = SUMMARY.rows, SUMMARY.wrong
