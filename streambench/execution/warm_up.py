"""Where a run's start-up ends, found from its own markers, and whether what follows is steady.

The end is where MSER puts it: the cut after which the mean of what is left is known best (White 1997, "An effective
truncation heuristic for bias reduction in simulation output"; of batches, as MSER-5 in White, Cobb and Spratt 2000, "A
comparison of five steady-state truncation heuristics for simulation"). A cut in the second half means that the series
has not come to rest. What is cut is the series of batches' ranks: so one stall of the host, however long, is no
start-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

BATCHES = 200
LEAST_MARKERS = 5  # of a batch
FEWEST_BATCHES = 10
GROUPS = 10  # of the steady part: from the second least to the second greatest covers the median with 97.9 %
NOISY = 0.1  # of the median: an interval that reaches farther to either side says little

LEFT_OUT = 0.2  # of a run, in front, before throughput and latency are counted

STEADY, SHORT, NOISE, FEW = "steady", "too short", "too noisy", "too few markers"


@dataclass(frozen=True)
class Steadiness:
    """``verdict``: "steady", "too short" (start-up takes more than half of the run), "too noisy" or "too few markers".

    ``warm_up_seconds``, ``warm_up_share``: of the run, in markers; None where no end of it was found. ``throughput``:
    tuples per second after it, the median of ten equal parts, with ``low`` and ``high``.
    """

    verdict: str
    warm_up_seconds: float | None = None
    warm_up_share: float | None = None
    throughput: float | None = None
    low: float | None = None
    high: float | None = None

    def plain(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def truncation(values: Array) -> int:
    """How many values to leave out in front so that the standard error of the mean of the others is least (MSER).

    Fewer than half of the values are to be left out; else the series has found no rest. Raises ValueError for fewer
    than two values.
    """
    n = len(values)
    if n < 2:
        raise ValueError("a series has at least two values")
    left = np.arange(n, 0, -1)
    sums, squares = (np.cumsum(each[::-1])[::-1] for each in (values, values**2))
    errors = (squares - sums**2 / left) / left**2
    return int(np.argmin(errors[: max(1, n - LEAST_MARKERS)]))  # the last few are alike by chance


def steadiness(index: npt.NDArray[np.int64], left: Array, waits: Array | None = None) -> Steadiness:
    """Of a run whose markers stood at these places in the stream and left at these seconds after the start.

    ``waits``: of a run at a rate, the markers' latencies from when they were due: there these must come to rest, as
    throughput is what arrives; and throughput, likewise, cannot be too noisy.
    """
    batches = min(BATCHES, (len(left) - 1) // LEAST_MARKERS)
    if batches < FEWEST_BATCHES:
        return Steadiness(FEW)
    edges = np.linspace(0, len(left) - 1, batches + 1).astype(int)
    if waits is None:
        series = np.diff(left[edges])
    else:
        series = np.array([np.median(waits[begin:end]) for begin, end in pairwise(edges)])
    cut = truncation(_ranks(series))
    if 2 * cut > batches:
        return Steadiness(SHORT)
    begin = int(edges[cut])
    seconds = float(left[begin]) if cut else 0.0
    parts = np.linspace(begin, len(left) - 1, GROUPS + 1).astype(int)
    spans = np.diff(left[parts])
    if not (spans > 0).all():  # parts shorter than a unit
        return Steadiness(FEW, seconds, cut / batches)
    rates = np.sort(np.diff(index[parts]) / spans)
    middle, low, high = float(np.median(rates)), float(rates[1]), float(rates[-2])
    noisy = waits is None and max(high - middle, middle - low) > NOISY * middle
    return Steadiness(NOISE if noisy else STEADY, seconds, cut / batches, middle, low, high)


def warning(verdicts: Iterable[Mapping[str, Any] | None]) -> str | None:
    """A sentence if runs at full speed did not come to rest before they were counted, by what ``plain`` says of each;
    None: it is not known."""
    known = [each for each in verdicts if each is not None]
    late = sum((each["warm_up_share"] or 0) > LEFT_OUT for each in known)
    counts = {SHORT: 0, NOISE: 0} | Counter(each["verdict"] for each in known)
    if not late + counts[SHORT] + counts[NOISE]:
        return None
    return (
        f"of {len(known)} runs {counts[SHORT]} were too short to come to rest, {late} more were still starting up when "
        f"counting began, and {counts[NOISE]} were too noisy: let them last longer, or distrust the numbers"
    )


def _ranks(values: Array) -> Array:
    """Equal values have one rank, the mean of theirs."""
    ordered = np.sort(values)
    ranks: Array = (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2
    return ranks
