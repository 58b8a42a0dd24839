"""Whole latency distributions as text: HdrHistogram's V2 format, which its tools in many languages read.

Of nanoseconds, with three significant digits: a value is told to 1 part in 1,000, whatever its size.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

DIGITS = 3
EXACT_BITS = 11  # of a value: three significant digits and no less, as the format keeps them
LONGEST = 3_600_000_000_000  # ns, an hour; what is longer makes the histogram larger


def encoded(seconds: npt.NDArray[np.floating]) -> str | None:
    """The histogram of these latencies; None without any. What is below 0 by the clock's error counts as 0."""
    if len(seconds) == 0:
        return None
    values, counts = _grouped(np.maximum(np.rint(np.asarray(seconds) * 1e9), 0).astype(np.int64))
    histogram = HdrHistogram(1, max(LONGEST, 2 * int(values[-1])), DIGITS)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        histogram.record_value(value, count)
    text: bytes = histogram.encode()
    return text.decode()


def quantiles(text: str, shares: Iterable[float]) -> list[float]:
    """Seconds below or at which these shares of the latencies lie (0.99 for p99), of an encoded histogram."""
    histogram = HdrHistogram.decode(text)
    return [histogram.get_value_at_percentile(100 * share) * 1e-9 for share in shares]


def merged(texts: Iterable[str]) -> str | None:
    """One histogram of several, such as those of a point's repeats; None of none."""
    histogram: HdrHistogram | None = None
    for text in texts:
        if histogram is None:
            histogram = HdrHistogram.decode(text)
        else:
            histogram.decode_and_add(text)
    return None if histogram is None else histogram.encode().decode()


def _grouped(values: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The values cut to as many bits as the format tells apart, each once, with how often it occurs."""
    cut = np.maximum(np.frexp(values.astype(float))[1] - EXACT_BITS, 0)
    found, counts = np.unique(values >> cut << cut, return_counts=True)
    return found, counts
