"""From the runs of `streambench bench snet` to a row for each point: medians with intervals, and what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from streambench.lab.record.statistics import paired_ratio, summary

KIND = "snet-bench"
POINT = ("case", "size", "tile", "runtime", "workers", "concurrency")
REFERENCE = {
    ("fibonacci", 20): 0.045,
    ("fibonacci", 24): 0.41,
    ("power-of-two", 14): 0.087,
    ("sieve-star", 500): 0.060,
    ("sieve-feedback", 500): 0.0126,
}
"""Seconds that one worker of FRONT's reference implementation, in C, takes on a machine like those measured on."""
THREADS_TO_FRONT = {("fibonacci", 20): 50.0}
ONE_TO_TWO = {"cholesky": 1.8, "stap-like": 1.8, "sieve-blocks": 1.8, "fibonacci": 1.0, "power-of-two": 1.0}
CALLS_PER_SECOND = 10e6

Run = Mapping[str, Any]
Row = dict[str, Any]


def described(case: str, size: int, tile: int, runtime: str, workers: int, concurrency: int) -> str:
    """A point in words: ``fibonacci 20, front 2``."""
    sizes = f"{size}/{tile}" if tile else f"{size}"
    return f"{case} {sizes}, {by(runtime, workers, concurrency)}"


def by(runtime: str, workers: int, concurrency: int) -> str:
    """Who runs it, in words: ``front 2, 4 calls``."""
    calls = f", {concurrency} calls" if concurrency > 1 else ""
    return f"front {workers}{calls}" if runtime == "front" else runtime


def rows(runs: Sequence[Run]) -> list[Row]:
    """One row for each point, in the order of the first runs; without numbers where a run of it was wrong.

    ``ratio``: of FRONT with one worker the seconds of a thread for each entity to its own; with more, those of one
    worker to its own, with one call of a box at a time; with its interval, from runs side by side.
    ``targets``: (what, wanted, found, met).
    """
    groups: dict[tuple[Any, ...], dict[int, Run]] = {}
    for run in runs:
        groups.setdefault(tuple(run[name] for name in POINT), {})[run["repeat"]] = run
    return [_row(point, groups) for point in groups]


def wrong(found: Sequence[Row]) -> list[str]:
    """The points of which a run was wrong, in words."""
    return [described(*(row[name] for name in POINT)) for row in found if not row["verified"]]


def _row(point: tuple[Any, ...], groups: Mapping[tuple[Any, ...], Mapping[int, Run]]) -> Row:
    case, size, tile, runtime, workers, _ = point
    own = groups[point]
    bad = sum(not run["verified"] for run in own.values())
    row: Row = {**dict(zip(POINT, point, strict=True)), "runs": len(own), "wrong": bad, "verified": not bad}
    row |= dict.fromkeys(("seconds", "seconds_interval", "ratio", "ratio_to", "calls_per_second", "peak_memory_bytes"))
    row["targets"] = []
    if bad:
        return row
    interval = summary([run["seconds"] for run in own.values()])
    row |= {"seconds": interval.median, "seconds_interval": interval.plain()}
    row["peak_memory_bytes"] = max(run["peak_memory_bytes"] or 0 for run in own.values()) or None
    if any(run["calls_per_second"] for run in own.values()):
        row["calls_per_second"] = median(run["calls_per_second"] for run in own.values())
    other = ("threads", 1) if workers == 1 else ("front", 1)
    beside = groups.get((case, size, tile, *other, 1), {})
    pairs = [(beside[k], own[k]) for k in own if k in beside and beside[k]["verified"]]
    if runtime == "front" and pairs:
        ratio = paired_ratio([a["seconds"] for a, _ in pairs], [b["seconds"] for _, b in pairs])
        row |= {"ratio": ratio.plain(), "ratio_to": " ".join(map(str, other))}
    if runtime == "front":
        row["targets"] = _targets(row)
    return row


def _targets(row: Row) -> list[dict[str, Any]]:
    case, size, workers = row["case"], row["size"], row["workers"]
    found = []
    if workers == 1 and (case, size) in REFERENCE:
        found.append(_target("seconds, as the reference's", REFERENCE[case, size], row["seconds"], at_most=True))
    if workers == 1 and (case, size) in THREADS_TO_FRONT and row["ratio"]:
        found.append(_target("threads / FRONT", THREADS_TO_FRONT[case, size], row["ratio"]["median"]))
    if workers == 2 and case in ONE_TO_TWO and row["ratio"]:
        found.append(_target("1 worker / 2", ONE_TO_TWO[case], row["ratio"]["median"]))
    if row["calls_per_second"]:
        found.append(_target("calls/s a worker", CALLS_PER_SECOND, row["calls_per_second"] / workers))
    return found


def _target(what: str, wanted: float, found: float, *, at_most: bool = False) -> dict[str, Any]:
    met = found <= wanted if at_most else found >= wanted
    return {"what": what, "wanted": wanted, "at_most": at_most, "found": found, "met": met}
