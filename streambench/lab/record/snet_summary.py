"""From the runs of `streambench bench snet` to a row for each point: medians with intervals, and what is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from streambench.lab.record.point_summary import COUNTS, Field, Group, PointSummary, field, interval, shared
from streambench.lab.record.run import Plain, Row
from streambench.lab.record.statistics import paired_ratio

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


def described(case: str, size: int, tile: int, runtime: str, workers: int, concurrency: int) -> str:
    """A point in words: ``fibonacci 20, front 2``."""
    sizes = f"{size}/{tile}" if tile else f"{size}"
    return f"{case} {sizes}, {by(runtime, workers, concurrency)}"


def by(runtime: str, workers: int, concurrency: int) -> str:
    """Who runs it, in words: ``front 2, 4 calls``."""
    calls = f", {concurrency} calls" if concurrency > 1 else ""
    return f"front {workers}{calls}" if runtime == "front" else runtime


def rows(runs: Iterable[Plain]) -> list[Row]:
    """One row for each point, in the order of the first runs; without numbers where a run of it was wrong.

    ``ratio``: of FRONT with one worker the seconds of a thread for each entity to its own; with more, those of one
    worker to its own, with one call of a box at a time; with its interval, from runs side by side.
    ``targets``: (what, wanted, found, met).
    """
    latest = {(*(run[name] for name in POINT), run["repeat"]): run for run in runs}
    return [{**row, "targets": _targets(row)} for row in SUMMARY.rows(latest.values())]


def _beside(group: Group) -> tuple[str, int]:
    """The runtime that the seconds are compared with, and its workers."""
    return ("threads", 1) if group.point[4] == 1 else ("front", 1)


def _ratio(group: Group) -> Mapping[str, Any] | None:
    case, size, tile, runtime, *_ = group.point
    beside = {
        run["repeat"]: run for run in group.groups.get((case, size, tile, *_beside(group), 1), ()) if run.verified
    }
    pairs = [(beside[run["repeat"]], run) for run in group.runs if run["repeat"] in beside]
    if runtime != "front" or not pairs:
        return None
    return paired_ratio([a["seconds"] for a, _ in pairs], [b["seconds"] for _, b in pairs]).plain()


def _targets(row: Row) -> list[dict[str, Any]]:
    case, size, workers = row["case"], row["size"], row["workers"]
    targets: list[dict[str, Any]] = []
    if row["runtime"] != "front" or not row["verified"]:
        return targets
    if workers == 1 and (case, size) in REFERENCE:
        targets.append(_target("seconds, as the reference's", REFERENCE[case, size], row["seconds"], at_most=True))
    if workers == 1 and (case, size) in THREADS_TO_FRONT and row["ratio"]:
        targets.append(_target("threads / FRONT", THREADS_TO_FRONT[case, size], row["ratio"]["median"]))
    if workers == 2 and case in ONE_TO_TWO and row["ratio"]:
        targets.append(_target("1 worker / 2", ONE_TO_TWO[case], row["ratio"]["median"]))
    if row["calls_per_second"]:
        targets.append(_target("calls/s a worker", CALLS_PER_SECOND, row["calls_per_second"] / workers))
    return targets


def _target(what: str, limit: float, value: float, *, at_most: bool = False) -> dict[str, Any]:
    met = value <= limit if at_most else value >= limit
    return {"what": what, "wanted": limit, "at_most": at_most, "found": value, "met": met}


SUMMARY = PointSummary(
    POINT,
    (
        *shared(*POINT),
        *COUNTS,
        field("seconds"),
        field("seconds_interval", interval, "seconds"),
        Field("ratio", _ratio),
        Field("ratio_to", lambda group: " ".join(map(str, _beside(group))) if _ratio(group) else None),
        field("calls_per_second", lambda values: median(values) if any(values) else None),
        field("peak_memory_bytes", lambda values: max(value or 0 for value in values) or None),
    ),
    lambda row: described(*(row[name] for name in POINT)),
)
wrong = SUMMARY.wrong
