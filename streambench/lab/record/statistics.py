"""What runs are summed up by: medians and paired ratios with their intervals.

An interval is made of order statistics. How many of n values lie below the true median is a matter of n fair coins,
whatever they are distributed like, so from the k-th least to the k-th greatest covers it with an exact probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Self

CONFIDENCE = 0.95
FEWEST_REPEATS = 6  # below, not even the least and the greatest value cover the median with that confidence


@dataclass(frozen=True)
class Interval:
    """A median of `n` values, and of these values the `low` and the `high` one that stand for their spread.

    `coverage`: how probable it is that low to high covers the true median, at least. None where there are too few
    values for the confidence that was asked for: then low and high are the least and the greatest value, and nothing
    is claimed. Of one value there is no spread: low and high are NaN.
    """

    median: float
    low: float
    high: float
    n: int
    coverage: float | None = None

    def plain(self) -> dict[str, Any]:
        """As values that JSON can hold: NaN is None."""
        return {name: None if value != value else value for name, value in asdict(self).items()}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """The interval of such values; others are left aside."""
        low, high = (math.nan if plain[name] is None else plain[name] for name in ("low", "high"))
        return cls(plain["median"], low, high, plain["n"], plain.get("coverage"))


class Ratio(Interval):
    """An interval of paired ratios, without unit: above 1 the first of the pair was larger."""


def paired_ratio(a: Sequence[float], b: Sequence[float], confidence: float = CONFIDENCE) -> Ratio:
    """The median of a[i] / b[i] with its interval; a[i] and b[i] were measured side by side.

    Raises ValueError for unequal lengths, no pairs, or values that are not finite and above 0.
    """
    if len(a) != len(b):
        raise ValueError(f"paired values must be equally many, not {len(a)} and {len(b)}")
    if not all(math.isfinite(value) and value > 0 for value in (*a, *b)):
        raise ValueError("paired values must be finite and above 0")
    return Ratio(*_median_interval([above / below for above, below in zip(a, b, strict=True)], confidence))


def summary(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The median of the values with its interval.

    Raises ValueError for no values, or values that are not finite.
    """
    if not all(map(math.isfinite, values)):
        raise ValueError("values must be finite")
    return Interval(*_median_interval(values, confidence))


def order_statistic(n: int, confidence: float = CONFIDENCE) -> tuple[int, float | None]:
    """The greatest k, counted from 1, such that from the k-th least to the k-th greatest of `n` values covers the true
    median with `confidence` at least, and the probability with which it does.

    Where no k does, 1 and None. Values that can be equal are covered more often rather than less.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    best: tuple[int, float | None] = (1, None)
    outside, ways = 0, 1  # of 2 ** n equally likely cases: fewer than k values below the median, or fewer above it
    for k in range(1, (n + 1) // 2 + 1):
        outside += 2 * ways
        ways = ways * (n - k + 1) // k
        coverage = 1 - outside / 2**n
        if coverage < confidence:
            break
        best = k, coverage
    return best


def _median_interval(values: Sequence[float], confidence: float) -> tuple[float, float, float, int, float | None]:
    n = len(values)
    if n == 0:
        raise ValueError("there must be at least one value")
    k, coverage = order_statistic(n, confidence)
    ranked = sorted(map(float, values))
    low, high = (ranked[k - 1], ranked[n - k]) if n > 1 else (math.nan, math.nan)
    return median(ranked), low, high, n, coverage
