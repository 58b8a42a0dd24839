"""Whole latency distributions as text: HdrHistogram's V2 format, of nanoseconds, to three significant digits."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np
import numpy.typing as npt

from streambench.execution.hdr_histogram import HdrHistogram

LONGEST = 3_600_000_000_000  # ns, an hour: what readers make room for, at least


def encoded(seconds: npt.NDArray[np.floating]) -> str | None:
    """The histogram of these latencies; None without any. What is below 0 by the clock's error counts as 0."""
    if len(seconds) == 0:
        return None
    return HdrHistogram.of(np.maximum(np.rint(np.asarray(seconds) * 1e9), 0).astype(np.int64), LONGEST).text()


def quantiles(text: str, shares: Iterable[float]) -> list[float]:
    """Seconds below or at which these shares of the latencies lie (0.99 for p99), of an encoded histogram."""
    histogram = HdrHistogram.read(text)
    return [histogram.value_at(share) * 1e-9 for share in shares]


def merged(texts: Iterable[str]) -> str | None:
    """One histogram of several, such as those of a point's repeats; None of none."""
    histograms = [HdrHistogram.read(text) for text in texts]
    return reduce(HdrHistogram.plus, histograms).text() if histograms else None
