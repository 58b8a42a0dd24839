"""From comparisons of the simulator with real runs to its error, by configuration and in all, and to an error band."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Any

from streambench.lab.record.run import Plain, Row

KIND = "validate"
THROUGHPUT_MEDIAN, THROUGHPUT_WORST, LATENCY_MEDIAN = 0.10, 0.25, 0.25
"""The error that is allowed: parts of what was measured."""
LOW, HIGH = 0.05, 0.95  # of the configurations lie in the band between these
CALIBRATED = 3  # queries; the others are predicted
NAMED = (
    "query",
    "engine",
    "workers",
    "unit",
    "plan",
    "heuristic",
    "reorder",
    "partitioning",
    "partition_by",
)


def rows(runs: Sequence[Plain]) -> list[Row]:
    """One for each comparison.

    ``throughput_error`` and ``latency_error`` are parts of what was measured, above 0 where the simulator says more;
    ``stayed``: False where the host moved the cores in every attempt, so that not all runs are of one machine, None
    where that is not known; ``missed``: in what it is farther off than the median may be, or None where the run was
    wrong.
    """
    return [_row(run) for run in runs]


def _row(run: Plain) -> Row:
    row = {name: run.get(name) for name in (*NAMED, "disturbed", "stayed", "first", "taken")}
    row |= dict.fromkeys(("throughput", "latency", "throughput_error", "latency_error", "missed"))
    if row["engine"] != "ordered":  # no other has plans
        row["plan"] = None
    if not run["sequence_ok"]:
        return row
    for name, allowed in (("throughput", THROUGHPUT_MEDIAN), ("latency", LATENCY_MEDIAN)):
        row[name] = fmean(run[f"measured_{name}"])
        error = run[f"simulated_{name}"] / row[name] - 1
        row[f"{name}_error"] = error
        row["missed"] = [*(row["missed"] or []), *([name] if abs(error) > allowed else [])]
    return row


def errors(summary: Iterable[Row], what: str) -> list[float]:
    """How far the configurations that have numbers are off, without sign."""
    return [abs(row[f"{what}_error"]) for row in summary if row[f"{what}_error"] is not None]


def verdict(summary: Sequence[Row]) -> Row:
    """Of all comparisons: medians and the worst, and whether they are allowed; None of none."""
    throughput, latency = errors(summary, "throughput"), errors(summary, "latency")
    if not throughput:
        return {"n": 0, "met": None}
    of_all = {"throughput": median(throughput), "worst": max(throughput), "latency": median(latency)}
    met = {
        "throughput": of_all["throughput"] <= THROUGHPUT_MEDIAN,
        "worst": of_all["worst"] <= THROUGHPUT_WORST,
        "latency": of_all["latency"] <= LATENCY_MEDIAN,
    }
    return {"n": len(throughput), **of_all, "met": met}


def groups(summary: Sequence[Row], name: str) -> dict[Any, Row]:
    """The verdict on the comparisons that have the same of ``name``, in ascending order."""
    values = sorted({row[name] for row in summary}, key=str)
    return {value: verdict([row for row in summary if row[name] == value]) for value in values}


def crossed(summary: Sequence[Row], queries: Sequence[str]) -> list[Row]:
    """Every way to calibrate on three of the ``queries`` and predict the others.

    Calibrated is one factor for each number of workers and unit size: the median of measured over simulated, of the
    three. ``before`` and ``after``: the median error of the others, of throughput and latency.
    """
    crossings = []
    for three in combinations(sorted(queries), CALIBRATED):
        others = [row for row in summary if row["query"] in queries and row["query"] not in three]
        known = [row for row in summary if row["query"] in three]
        row: Row = {"calibrated": list(three), "predicted": sorted({each["query"] for each in others})}
        for what in ("throughput", "latency"):
            pairs = []
            for each in others:
                alike = [1 / (1 + one[f"{what}_error"]) for one in known if _alike(one, each, what)]
                if alike and each[f"{what}_error"] is not None:
                    pairs.append((each[f"{what}_error"], (1 + each[f"{what}_error"]) * median(alike) - 1))
            row[what] = None
            if pairs:
                before, after = zip(*pairs, strict=True)
                row[what] = {"before": median(map(abs, before)), "after": median(map(abs, after)), "n": len(pairs)}
        crossings.append(row)
    return crossings


def _alike(one: Row, other: Row, what: str) -> bool:
    same = all(one[name] == other[name] for name in ("engine", "workers", "unit"))
    return same and one[f"{what}_error"] is not None and one[f"{what}_error"] > -1


def compared(summary: Iterable[Row], what: str, engine: str) -> dict[int, list[float]]:
    """By workers: times which a simulated number is what was measured, of each comparison of the ``engine``."""
    by: dict[int, list[float]] = {}
    for row in summary:
        if row["engine"] == engine and row[f"{what}_error"] is not None:
            by.setdefault(row["workers"], []).append(1 / (1 + row[f"{what}_error"]))
    return dict(sorted(by.items()))


def band(summary: Sequence[Row], what: str, engine: str, cores: int) -> tuple[float, float, int] | None:
    """(low, high, comparisons): times which a simulated number is, nine times of ten, what was measured.

    Of a number of cores that was not compared it goes from the lowest to the highest end of those that were. None where
    nothing was compared.
    """
    by = compared(summary, what, engine)
    known = [by[cores]] if cores in by else list(by.values())
    if not known:
        return None
    ends = [_ends(sorted(factors)) for factors in known]
    return min(low for low, _ in ends), max(high for _, high in ends), sum(map(len, known))


def _ends(factors: list[float]) -> tuple[float, float]:
    last = len(factors) - 1
    return factors[math.floor(LOW * last)], factors[math.ceil(HIGH * last)]
