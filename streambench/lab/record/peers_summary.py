"""From the runs of `streambench bench peers` to a row for each query and peer: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from streambench.lab.record.statistics import paired_ratio, summary

KIND = "peers"
BASE = "ordered"
"""What every peer is compared with, repeat by repeat."""
TOLD = ("query", "peer", "version", "configuration", "streams", "order", "guarantees", "workers", "tuples")
QUANTILES = ("p50", "p99", "max")
MIB = 1 << 20

Run = Mapping[str, Any]
Row = dict[str, Any]


def rows(runs: Sequence[Run]) -> list[Row]:
    """One row for each query and peer, in the order of the first runs; without numbers where a run of it was wrong."""
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault((run["query"], run["peer"]), []).append(run)
    return [_row(found, groups.get((query, BASE), ())) for (query, _), found in groups.items()]


def wrong(found: Sequence[Row]) -> list[str]:
    """The problems of the rows that have no numbers, each with its query and peer."""
    return [f"{row['query']}, {row['peer']}: {row['problem']}" for row in found if not row["verified"]]


def notes(found: Sequence[Row]) -> list[str]:
    """What each peer is set up like and guarantees, a line for each."""
    lines = {row["peer"]: row for row in found}.values()
    return [f"{row['peer']} {row['version']}: {row['configuration']}. Order: {row['guarantees']}." for row in lines]


def _row(runs: Sequence[Run], base: Sequence[Run]) -> Row:
    bad = [run for run in runs if not run["verified"]]
    row: Row = {name: runs[0][name] for name in TOLD} | {"laps": _laps(runs[0])}
    row |= {"runs": len(runs), "wrong": len(bad), "verified": not bad, "problem": bad[0]["problem"] if bad else None}
    row |= {"start_seconds": runs[0]["start_seconds"], "first_seconds": runs[0]["first_seconds"]}
    row |= dict.fromkeys(("seconds", "throughput", "throughput_interval", "ratio", "latency"))
    row |= {"pass_seconds": None, "peak_memory": None}
    if bad:
        return row
    interval = summary([run["throughput"] for run in runs])
    row |= {"throughput": interval.median, "throughput_interval": interval.plain()}
    row |= {"seconds": median(run["seconds"] for run in runs)}
    row |= {"pass_seconds": median(_pass_seconds(run) for run in runs)}
    row |= {"peak_memory": max(run["peak_memory"] for run in runs)}
    if all(run["latency"] for run in runs):
        row["latency"] = {name: median(run["latency"][name] for run in runs) for name in QUANTILES}
    if base and all(run["verified"] for run in base):
        ours, theirs = ({run["repeat"]: _speed(run, row["laps"]) for run in each} for each in (base, runs))
        repeats = sorted(ours.keys() & theirs.keys())
        row["ratio"] = paired_ratio([ours[each] for each in repeats], [theirs[each] for each in repeats]).plain()
    return row


def _laps(run: Run) -> int:
    return int(run.get("laps", 1))  # the first results had one


def _pass_seconds(run: Run) -> float:
    return float(run.get("pass_seconds", run["seconds"]))


def _speed(run: Run, laps: int) -> float:
    """Tuples per second over as many laps as the other side had, or else over one: like is compared with like."""
    if _laps(run) == laps:
        return float(run["throughput"])
    return float(run["tuples"]) / _laps(run) / _pass_seconds(run)
