"""What runs are summed up by: medians and paired ratios with their intervals, throughput at the sink, latencies.

An interval is made of order statistics. How many of n values lie below the true median is a matter of n fair coins,
whatever they are distributed like, so from the k-th least to the k-th greatest covers it with an exact probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

CONFIDENCE = 0.95
FEWEST_REPEATS = 6  # below, not even the least and the greatest value cover the median with that confidence
FEW_MARKERS = 10  # below this the 20th to 80th percentile would rest on a handful of points
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}


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
    found: tuple[int, float | None] = (1, None)
    outside, ways = 0, 1  # of 2 ** n equally likely cases: fewer than k values below the median, or fewer above it
    for k in range(1, (n + 1) // 2 + 1):
        outside += 2 * ways
        ways = ways * (n - k + 1) // k
        coverage = 1 - outside / 2**n
        if coverage < confidence:
            break
        found = k, coverage
    return found


def throughput(markers_index: Array, exits: Array, total_tuples: int, total_seconds: float) -> float:
    """Input tuples per second as counted at the sink, between the 20th and the 80th percentile marker.

    `markers_index[i]` is how many input tuples came before marker i, `exits[i]` the second at which it reached the
    sink; both ascend. Start and end of a run, when the pipeline fills and drains, are thus left out. With fewer than
    10 markers, or no time between those two, it is total_tuples / total_seconds (0 for a run that took no time).
    Raises ValueError for unequal lengths.
    """
    _require_pairs(markers_index, exits)
    first, last = _steady(len(markers_index))
    if len(markers_index) >= FEW_MARKERS:
        seconds = float(exits[last]) - float(exits[first])
        tuples = float(markers_index[last]) - float(markers_index[first])
        if seconds > 0 and tuples > 0:
            return tuples / seconds
    return total_tuples / total_seconds if total_seconds > 0 else 0.0


def latency(entries: Array, exits: Array) -> dict[str, float]:
    """Quantiles p50, p90, p99, p999 and max, and the mean, in seconds, of exit - entry over the markers `throughput`
    counts.

    Each quantile is a latency that some marker really had (nearest rank). Below 10 markers all of them count; without
    any, everything is NaN. Raises ValueError for unequal lengths.
    """
    _require_pairs(entries, exits)
    if len(entries) == 0:
        return dict.fromkeys((*QUANTILES, "mean"), math.nan)
    first, last = _steady(len(entries))
    waits = np.asarray(exits[first : last + 1], dtype=float) - np.asarray(entries[first : last + 1], dtype=float)
    found = np.quantile(waits, list(QUANTILES.values()), method="inverted_cdf")
    quantiles = {name: float(value) for name, value in zip(QUANTILES, found, strict=True)}
    return {**quantiles, "mean": float(waits.mean())}


def _steady(markers: int) -> tuple[int, int]:
    """First and last marker that count."""
    if markers < FEW_MARKERS:
        return 0, markers - 1
    return math.ceil(0.2 * (markers - 1)), math.floor(0.8 * (markers - 1))


def _median_interval(values: Sequence[float], confidence: float) -> tuple[float, float, float, int, float | None]:
    n = len(values)
    if n == 0:
        raise ValueError("there must be at least one value")
    k, coverage = order_statistic(n, confidence)
    ranked = sorted(map(float, values))
    low, high = (ranked[k - 1], ranked[n - k]) if n > 1 else (math.nan, math.nan)
    return median(ranked), low, high, n, coverage


def _require_pairs(first: Array, second: Array) -> None:
    if len(first) != len(second):
        raise ValueError(f"markers must come in pairs, not {len(first)} and {len(second)}")
