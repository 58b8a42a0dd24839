"""From the runs of `streambench bench joins` to a row for each measure and point: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

from streambench.lab.record.statistics import summary

KIND = "join-bench"
POINT = ("measure", "join", "tier", "threads", "window_seconds")
KEPT_UP = 0.99  # of the rate that is offered: the last tuples leave after the last one is due, even where none waits
GATE = "gate"  # the measure whose points are gates, by sources and readers

Run = Mapping[str, Any]
Row = dict[str, Any]


def rows(runs: Sequence[Run]) -> list[Row]:
    """One row for each measure and point, in the order of the runs; without numbers where a run of it was wrong."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(run.get(name) for name in (*POINT, "sources", "readers")), []).append(run)
    return [_gate_row(found) if key[0] == GATE else _row(found) for key, found in groups.items()]


def wrong(found: Sequence[Row]) -> list[str]:
    """The points of which a run was wrong, in words."""
    return [
        f"{row['measure']} of {row['join']}, {row['tier']} with {row['threads']} thread{'s' * (row['threads'] > 1)}"
        for row in found
        if not row["verified"]
    ]


def _row(runs: Sequence[Run]) -> Row:
    first = runs[0]
    right = [run for run in runs if run["verified"]]
    named = {name: first[name] for name in (*POINT, "window_tuples", "tuples", "digest", "sustainable_rate")}
    if len(right) < len(runs):
        blank = dict.fromkeys(("comparisons_per_second", "comparisons_interval", "tuples_per_second", "per_thread"))
        blank |= dict.fromkeys(("per_thread_deviation", "latency", "rate", "sustained"))
        return {**named, **blank, "runs": len(runs), "wrong": len(runs) - len(right), "verified": False}
    interval = summary([run["comparisons_per_second"] for run in runs])
    return {
        **named,
        "comparisons_per_second": interval.median,
        "comparisons_interval": interval.plain(),
        "tuples_per_second": median(run["tuples_per_second"] for run in runs),
        "per_thread": [fmean(each) for each in zip(*(run["per_thread"] for run in runs), strict=True)],
        "per_thread_deviation": median(run["per_thread_deviation"] for run in runs),
        "latency": _latency([run["latency"] for run in runs if run["latency"]]),
        "rate": first["rate"],
        "sustained": _sustained(runs),
        "runs": len(runs),
        "wrong": 0,
        "verified": True,
    }


def _sustained(runs: Sequence[Run]) -> bool | None:
    """Have most runs kept up: at a rate with what arrived, at full speed with the rate that their windows stand for?"""
    rate, offered = runs[0]["sustainable_rate"], runs[0]["rate"]
    if rate is None:
        return None
    least = rate if offered is None else KEPT_UP * offered
    return bool(median(run["tuples_per_second"] for run in runs) >= least)


def _gate_row(runs: Sequence[Run]) -> Row:
    first = runs[0]
    right = [run["tuples_per_second"] for run in runs if run["verified"]]
    whole = len(right) == len(runs)
    return {
        **{name: first[name] for name in (*POINT, "sources", "readers", "tuples")},
        "tuples_per_second": median(right) if whole else None,
        "runs": len(runs),
        "wrong": len(runs) - len(right),
        "verified": whole,
    }


def _latency(found: Sequence[Mapping[str, float]]) -> dict[str, float] | None:
    """Medians of the quantiles; of the maxima the greatest."""
    if not found:
        return None
    return {name: (max if name == "max" else median)(each[name] for each in found) for name in found[0]}
