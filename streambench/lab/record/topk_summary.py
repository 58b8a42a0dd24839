"""From the runs of `streambench bench topk` to a row for each point: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping

from streambench.lab.record.point_summary import COUNTS, PointSummary, each_median, field, interval, shared
from streambench.lab.record.run import Run

KIND = "topk-bench"
POINT = ("design", "threads", "alpha", "failing")
SHARED_BY_RUNS = (*POINT, "epsilon", "items", "query_every")
MOST_TOLD = 2  # operations in a table's cell


def described(design: str, threads: int, alpha: float, failing: float) -> str:
    """A point in words: ``shared, 4 threads, α 1.5``."""
    fails = f", {100 * failing:g} % of reads fail" if failing else ""
    return f"{design}, {threads} thread{'s' * (threads > 1)}, α {alpha:g}{fails}"


def shares(profile: Mapping[str, float]) -> dict[str, float]:
    """Of each operation the part of all time, in per cent."""
    whole = sum(profile.values())
    return {name: 100 * seconds / whole if whole else 0.0 for name, seconds in profile.items()}


def _is_timed(run: Run) -> bool:
    """Were its operations timed? Then it tells of their parts, and not of the speed."""
    return bool(run["instrumented"])


def _is_plain(run: Run) -> bool:
    return not run["instrumented"]


SUMMARY = PointSummary(
    POINT,
    (
        *shared(*SHARED_BY_RUNS),
        *COUNTS,
        field("updates_per_second", only=_is_plain),
        field("updates_interval", interval, "updates_per_second", _is_plain),
        field("seconds", only=_is_plain),
        field("error_bound", max),
        field("profile", each_median, only=_is_timed),
        field("statistics", each_median, only=_is_timed),
    ),
    lambda row: described(*(row[name] for name in POINT)),
)
rows, wrong = SUMMARY.rows, SUMMARY.wrong
