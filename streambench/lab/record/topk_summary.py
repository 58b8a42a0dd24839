"""From the runs of `streambench bench topk` to a row for each point: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from streambench.lab.record.statistics import summary

KIND = "topk-bench"
POINT = ("design", "threads", "alpha", "failing")
SHARED_BY_RUNS = (*POINT, "epsilon", "items", "query_every")
MOST_TOLD = 2  # operations in a table's cell

Run = Mapping[str, Any]
Row = dict[str, Any]


def described(design: str, threads: int, alpha: float, failing: float) -> str:
    """A point in words: ``shared, 4 threads, α 1.5``."""
    fails = f", {100 * failing:g} % of reads fail" if failing else ""
    return f"{design}, {threads} thread{'s' * (threads > 1)}, α {alpha:g}{fails}"


def rows(runs: Sequence[Run]) -> list[Row]:
    """One row for each point, in the order of the runs; without numbers where a run of it was wrong.

    Speed is that of the runs whose operations were not timed, `profile` that of the others.
    """
    groups: dict[tuple[Any, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(run[name] for name in POINT), []).append(run)
    return [_row(found) for found in groups.values()]


def wrong(found: Sequence[Row]) -> list[str]:
    """The points of which a run was wrong, in words."""
    return [described(*(row[name] for name in POINT)) for row in found if not row["verified"]]


def shares(profile: Mapping[str, float]) -> dict[str, float]:
    """Of each operation the part of all time, in per cent."""
    whole = sum(profile.values())
    return {name: 100 * seconds / whole if whole else 0.0 for name, seconds in profile.items()}


def _row(runs: Sequence[Run]) -> Row:
    bad = sum(not run["verified"] for run in runs)
    named = {**{name: runs[0][name] for name in SHARED_BY_RUNS}, "runs": len(runs), "wrong": bad, "verified": not bad}
    plain = [run for run in runs if not run["instrumented"]]
    timed = [run for run in runs if run["instrumented"]]
    found: Row = dict.fromkeys(
        ("updates_per_second", "updates_interval", "seconds", "error_bound", "profile", "statistics")
    )
    if plain and not bad:
        interval = summary([run["updates_per_second"] for run in plain])
        found |= {"updates_per_second": interval.median, "updates_interval": interval.plain()}
        found |= {"seconds": median(run["seconds"] for run in plain)}
    if not bad:
        found |= {"error_bound": max(run["error_bound"] for run in runs)}
    if timed and not bad:
        found |= {name: _medians([run[name] for run in timed]) for name in ("profile", "statistics")}
    return {**named, **found}


def _medians(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: median(each[name] for each in found) for name in found[0]}
