"""From the runs of `streambench bench joins` to a row for each measure and point: medians with their intervals."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, median

from streambench.lab.record.point_summary import (
    COUNTS,
    Field,
    Group,
    PointSummary,
    each_median,
    field,
    grouped,
    interval,
    shared,
)
from streambench.lab.record.run import Plain, Row, Run

KIND = "join-bench"
POINT = ("measure", "join", "tier", "threads", "window_seconds")
KEPT_UP = 0.99  # of the rate that is offered: the last tuples leave after the last one is due, even where none waits
GATE = "gate"  # the measure whose points are gates, by sources and readers


def rows(runs: Iterable[Plain]) -> list[Row]:
    """One row for each measure and point, in the order of the runs; without numbers where a run of it was wrong."""
    points = grouped(runs, (*POINT, "sources", "readers"))
    return [(GATES if point.point[0] == GATE else SUMMARY).row(point) for point in points]


def _described(row: Row) -> str:
    return f"{row['measure']} of {row['join']}, {row['tier']} with {row['threads']} thread{'s' * (row['threads'] > 1)}"


def _sustained(group: Group) -> bool | None:
    """Have most runs kept up: at a rate with what arrived, at full speed with the rate that their windows stand for?"""
    rate, offered = group.runs[0]["sustainable_rate"], group.runs[0]["rate"]
    if rate is None:
        return None
    least = rate if offered is None else KEPT_UP * offered
    return bool(median(run["tuples_per_second"] for run in group.runs) >= least)


def _has_latency(run: Run) -> bool:
    return bool(run["latency"])


SUMMARY = PointSummary(
    POINT,
    (
        *shared(*POINT, "window_tuples", "tuples", "digest", "sustainable_rate"),
        field("comparisons_per_second"),
        field("comparisons_interval", interval, "comparisons_per_second"),
        field("tuples_per_second"),
        field("per_thread", lambda values: [fmean(each) for each in zip(*values, strict=True)]),
        field("per_thread_deviation"),
        field("latency", each_median, only=_has_latency),
        field("rate", lambda values: values[0]),
        Field("sustained", _sustained),
        *COUNTS,
    ),
    _described,
)
GATES = PointSummary(POINT, (*shared(*POINT, "sources", "readers", "tuples"), field("tuples_per_second"), *COUNTS))
wrong = SUMMARY.wrong
