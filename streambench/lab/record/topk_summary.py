"""From the runs of `streambench bench topk` to a row for each point: medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from streambench.lab.record.point_summary import (
    COUNTS,
    Field,
    Group,
    PointSummary,
    Values,
    each_median,
    field,
    interval,
    shared,
)
from streambench.lab.record.run import Plain, Run

KIND = "topk-bench"
POINT = ("design", "threads", "alpha", "failing", "epsilon", "rho", "query_every", "source")
SHARED_BY_RUNS = (*POINT, "sleep", "items")
ACCURACY = ("frequent_items", "precision", "recall", "relative_error")
PHI = 0.001
"""An item is frequent that is more than this share of all: the paper's example (section 1)."""
MOST_TOLD = 2  # operations in a table's cell
SOURCES_IN_WORDS = {
    "lines": "items of sold lines",
    "items": "items of clicks",
    "pages": "pages of clicks",
    "words": "words of a text",
}
"""Of streams that are not of Zipf's law."""


def described(point: Plain) -> str:
    """A point in words: ``shared, 4 threads, α 1.5, ε 0.0001``."""
    words = [point["design"], f"{point['threads']} thread{'s' * (point['threads'] > 1)}"]
    words += [SOURCES_IN_WORDS[point["source"]] if point["alpha"] is None else f"α {point['alpha']:g}"]
    words += [f"ε {point['epsilon']:g}"]
    words += [f"ρ {point['rho']}"] if point["rho"] else []
    words += [f"a query every {point['query_every']:,} items"] if point["query_every"] else []
    words += [f"{100 * point['failing']:g} % of reads fail"] if point["failing"] else []
    return ", ".join(words)


def shares(profile: Mapping[str, float]) -> dict[str, float]:
    """Of each operation the part of all time, in per cent."""
    whole = sum(profile.values())
    return {name: 100 * seconds / whole if whole else 0.0 for name, seconds in profile.items()}


def _is_timed(run: Run) -> bool:
    """Were its operations timed? Then it tells of their parts, and not of the speed."""
    return bool(run["instrumented"])


def _is_plain(run: Run) -> bool:
    return not run["instrumented"]


def _known(name: str, how: Values = median) -> Field:
    """Of the plain runs' values, taken together; None where a run has none, as in results that are older than it."""

    def value(group: Group) -> Any:
        values = [run.get(name) for run in group.runs if _is_plain(run)]
        known = [each for each in values if each is not None]
        return how(known) if known and len(known) == len(values) else None

    return Field(name, value)


SUMMARY = PointSummary(
    POINT,
    (
        *shared(*SHARED_BY_RUNS, needed=False),
        *COUNTS,
        field("updates_per_second", only=_is_plain),
        field("updates_interval", interval, "updates_per_second", _is_plain),
        field("seconds", only=_is_plain),
        _known("summary_bytes"),
        field("error_bound", max),
        *map(_known, ACCURACY),
        _known("query_latency", each_median),
        _known("stale_items", each_median),
        field("profile", each_median, only=_is_timed),
        field("statistics", each_median, only=_is_timed),
    ),
    described,
)
rows, wrong = SUMMARY.rows, SUMMARY.wrong
