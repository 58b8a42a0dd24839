"""What runs are summed up by: paired ratios with a confidence interval, throughput at the sink, latency quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

SEED = 20_010_901  # fixed, so that the same runs always print the same interval
RESAMPLES = 9_999
FEW_MARKERS = 10  # below this the 20th to 80th percentile would rest on a handful of points
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}


@dataclass(frozen=True)
class Interval:
    """A median of `n` values and its confidence interval; `low` and `high` are NaN where n = 1 says nothing of it."""

    median: float
    low: float
    high: float
    n: int


class Ratio(Interval):
    """An interval of paired ratios, without unit: above 1 the first of the pair was larger."""


def paired_ratio(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> Ratio:
    """The median of a[i] / b[i] with a bootstrap confidence interval; a[i] and b[i] were measured side by side.

    Raises ValueError for unequal lengths, no pairs, or values that are not finite and above 0.
    """
    if len(a) != len(b):
        raise ValueError(f"paired values must be equally many, not {len(a)} and {len(b)}")
    above, below = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if not (np.isfinite(above).all() and np.isfinite(below).all() and (above > 0).all() and (below > 0).all()):
        raise ValueError("paired values must be finite and above 0")
    return Ratio(*_median_interval(above / below, confidence))


def summary(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """The median of the values with a bootstrap confidence interval.

    Raises ValueError for no values, or values that are not finite.
    """
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError("values must be finite")
    return Interval(*_median_interval(array, confidence))


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


def _median_interval(values: npt.NDArray[np.float64], confidence: float) -> tuple[float, float, float, int]:
    if len(values) == 0:
        raise ValueError("there must be at least one value")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    median = float(np.median(values))
    if len(values) == 1:
        return median, math.nan, math.nan, 1
    if values.min() == values.max():
        return median, median, median, len(values)
    # Percentile, not BCa: a median is not smooth, and the jackknife that BCa corrects by is meaningless for it.
    drawn = np.random.default_rng(SEED).integers(0, len(values), size=(RESAMPLES, len(values)))
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.median(values[drawn], axis=1), [tail, 1 - tail])
    return median, float(low), float(high), len(values)


def _require_pairs(first: Array, second: Array) -> None:
    if len(first) != len(second):
        raise ValueError(f"markers must come in pairs, not {len(first)} and {len(second)}")
