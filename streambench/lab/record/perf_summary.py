"""From the cases of `bench perf` to rows: a median, a paired ratio or a difference, and whether it is as wanted.

A case is a record of its `section`, `title`, `series` (`name`, `unit`, `values` by repeat) and `rows`. A row says `how`
it is made: the `median` of the series `of`, the `ratio` of the series `of` to the series `to`, pair by pair, or the
`excess` of the one over the other. A row's target is part of the record, so that a file is judged by what was wanted
when it was measured. Records from before 2026-11-26 do not say of a target whether it goes by the processor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streambench.lab.record.run import Row
from streambench.lab.record.statistics import Interval, paired_ratio, summary

KIND = "perf"
TIMES = "\N{MULTIPLICATION SIGN}"  # the unit of ratios

Case = Mapping[str, Any]


def rows(cases: Sequence[Case]) -> list[Row]:
    """Every row in the report's order, with its interval and `met`, which is None without a target."""
    return [_row(case, row) for case in cases for row in case["rows"]]


def verdict(summary: Sequence[Row]) -> str:
    """How many targets were met."""
    judged = [row["met"] for row in summary if row["met"] is not None]
    return f"{sum(judged)} of {len(judged)} targets met" if judged else "no targets"


def target_text(row: Row) -> str:
    """What is wanted: "≥ 1.9 ×"; empty without a target."""
    return "" if row["target"] is None else f"{'≤' if row['at_most'] else '≥'} {row['target']:g} {row['unit']}"


def number(value: float) -> str:
    """For a reader: two decimals where they say something."""
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def _row(case: Case, row: Mapping[str, Any]) -> Row:
    values = {each["name"]: each["values"] for each in case["series"]}
    interval = _interval(str(row["how"]), values[row["of"]], values.get(row["to"], ()))
    return {
        **{name: case[name] for name in ("section", "title", "case")},
        **{name: row[name] for name in ("what", "unit", "target", "at_most")},
        "of_processor": row.get("of_processor", False),
        **interval.plain(),
        "met": _met(interval.median, row["target"], row["at_most"]),
        "note": row["note"],
    }


def _interval(how: str, values: Sequence[float], others: Sequence[float]) -> Interval:
    if how == "median":
        return summary(values)
    if how == "ratio":
        return paired_ratio(values, others)
    if how == "excess":
        return summary([value - other for value, other in zip(values, others, strict=True)])
    raise ValueError(f"there is no way {how!r} to make a row")


def _met(median: float, target: float | None, at_most: bool) -> bool | None:
    if target is None:
        return None
    return median <= target if at_most else median >= target
