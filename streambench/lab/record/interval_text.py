"""How a median and its interval are written, so that nobody takes a range of few runs for a confidence interval.

An interval stands in brackets, "1.84 [1.79, 1.90]", and what is above it says how probably it covers the median. A
range of too few runs stands in parentheses, "1.84 (1.79 to 1.90)".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable

from streambench.lab.record.statistics import Interval, order_statistic


def written(interval: Interval, write: Callable[[float], str]) -> str:
    """The median with its interval or range; ``write``: how a number is written."""
    if math.isnan(interval.low):
        return f"{write(interval.median)} (one run)"
    low, high = write(interval.low), write(interval.high)
    spread = f"({low} to {high})" if interval.coverage is None else f"[{low}, {high}]"
    return f"{write(interval.median)} {spread}"


def heading(name: str, intervals: Iterable[Interval]) -> str:
    """What stands above such intervals: "ratio [96.1 %]", "ratio (min to max of 5)", or both where both are below."""
    listed = list(intervals)
    sure = {each.coverage for each in listed if each.coverage is not None}
    few = {each.n for each in listed if each.coverage is None and each.n > 1}
    words = [f"[{'≥ ' if len(sure) > 1 else ''}{percent(min(sure))}]"] if sure else []
    words += [f"(min to max of {_counts(few)})"] if few else []
    return " ".join([name, *words])


def error_bars(repeats: Collection[int]) -> str:
    """A sentence on what a figure's marks show. ``repeats``: how many values there are at the points."""
    counts = {count for count in repeats if count > 1}
    covered = {count: order_statistic(count)[1] for count in counts}
    sure = {coverage for coverage in covered.values() if coverage is not None}
    few = {count for count, coverage in covered.items() if coverage is None}
    if not counts:
        return "Single runs, without error bars."
    words = (
        [f"error bars are {'at least ' if len(sure) > 1 else ''}{percent(min(sure))} confidence intervals"]
        if sure
        else []
    )
    words += [f"{_counts(few)} runs are too few for an interval"] if few else []
    return f"Small points are single runs, large ones medians; {'; '.join(words)}."


def percent(share: float) -> str:
    """A coverage: "96.1 %"."""
    return f"{100 * share:.1f} %"


def _counts(numbers: Collection[int]) -> str:
    return " to ".join(map(str, dict.fromkeys((min(numbers), max(numbers)))))
