"""Throughput and latency of one execution, from the markers that its stream carried."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

FEW_MARKERS = 10  # below this the 20th to 80th percentile would rest on a handful of points; so it would of units
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}


def throughput(markers_index: Array, exits: Array, total_tuples: int, total_seconds: float) -> float:
    """Input tuples per second as counted at the sink, between the 20th and the 80th percentile marker.

    `markers_index[i]` is how many input tuples came before marker i, `exits[i]` the second at which it reached the
    sink; both ascend. Start and end of a run, when the pipeline fills and drains, are thus left out. With fewer than
    10 markers, or markers of fewer than 10 units (those of one leave at once, and units that waited for an earlier one
    right behind it), it is total_tuples / total_seconds (0 for a run that took no time).
    Raises ValueError for unequal lengths.
    """
    _require_pairs(markers_index, exits)
    first, last = _steady(len(markers_index))
    if len(np.unique(exits)) >= FEW_MARKERS:
        seconds = float(exits[last]) - float(exits[first])
        tuples = float(markers_index[last]) - float(markers_index[first])
        if seconds > 0 and tuples > 0:
            return tuples / seconds
    return total_tuples / total_seconds if total_seconds > 0 else 0.0


def throughput_at_a_rate(
    markers_index: Array, due: Array, exits: Array, total_tuples: int, total_seconds: float
) -> float:
    """The same of an open loop, from when the first marker was `due` until the 80th percentile marker has left.

    The start counts: were it left out, as at full speed, what had piled up in it and is worked off later would count as
    speed, and more would leave than arrives. So it is at most what was offered, which is this with `due` as `exits`.
    """
    _require_pairs(markers_index, due)
    _require_pairs(markers_index, exits)
    _, last = _steady(len(markers_index))
    if len(markers_index) >= FEW_MARKERS:
        seconds = max(float(exits[last]), float(due[last])) - float(due[0])  # the clock's error is no speed
        if seconds > 0:
            return (float(markers_index[last]) - float(markers_index[0])) / seconds
    return total_tuples / total_seconds if total_seconds > 0 else 0.0


def latency(entries: Array, exits: Array) -> dict[str, float]:
    """Quantiles p50, p90, p99, p999 and max, and the mean, in seconds, of exit - entry over the markers `throughput`
    counts.

    Each quantile is a latency that some marker really had (nearest rank). Below 10 markers all of them count; without
    any, everything is NaN. Raises ValueError for unequal lengths.
    """
    counted = waits(entries, exits)
    if len(counted) == 0:
        return dict.fromkeys((*QUANTILES, "mean"), math.nan)
    levels = np.quantile(counted, list(QUANTILES.values()), method="inverted_cdf")
    quantiles = {name: float(value) for name, value in zip(QUANTILES, levels, strict=True)}
    return {**quantiles, "mean": float(counted.mean())}


def late_at_the_end(due: Array, exits: Array) -> float:
    """Seconds from `due` to the exit, in the median of the last tenth of the markers; 0 without any.

    Times the rate that is how many tuples wait. Raises ValueError for unequal lengths.
    """
    _require_pairs(due, exits)
    last = max(1, len(due) // 10)
    return float(np.median(np.subtract(exits[-last:], due[-last:], dtype=float))) if len(due) else 0.0


def waits(entries: Array, exits: Array) -> npt.NDArray[np.float64]:
    """Seconds of exit - entry over the markers that count. Raises ValueError for unequal lengths."""
    _require_pairs(entries, exits)
    first, last = _steady(len(entries))
    spans: npt.NDArray[np.float64] = np.subtract(exits[first : last + 1], entries[first : last + 1], dtype=float)
    return spans


def _steady(markers: int) -> tuple[int, int]:
    """First and last marker that count."""
    if markers < FEW_MARKERS:
        return 0, markers - 1
    return math.ceil(0.2 * (markers - 1)), math.floor(0.8 * (markers - 1))


def _require_pairs(first: Array, second: Array) -> None:
    if len(first) != len(second):
        raise ValueError(f"markers must come in pairs, not {len(first)} and {len(second)}")
