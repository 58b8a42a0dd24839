"""The baskets of the profile `heavy`: tickets as long, and as unequal, as a real shop's.

A heavy ticket's lines name as many items. Their number is log-normal: floor(median · exp(sigma · z)), from 1 up to the
most, with z a sum of twelve uniform numbers.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

MEDIAN, SIGMA, MOST = 10.5, 1.28, 1_110
_PARTS = 12  # uniform numbers whose sum stands for a normal one


@dataclass(frozen=True)
class Tail:
    """What the distribution of a heavy ticket's lines amounts to."""

    shares: np.ndarray  # of tickets with 0, 1, 2, ... lines
    mean: float
    mean_sd: float  # standard deviation of the lines of a ticket
    pairs_a_line: float
    pairs_sd: float  # of (a ticket's pairs less its lines' share of all pairs) / mean lines

    def at_most(self, lines: int) -> float:
        """The share of tickets with at most so many lines."""
        return float(self.shares[: lines + 1].sum())

    def quantile(self, share: float) -> int:
        """The fewest lines that at least this share of the tickets do not exceed."""
        return int(np.argmax(self.shares.cumsum() >= share))


@functools.cache
def tail() -> Tail:
    """The distribution of a heavy ticket's lines."""
    at_most = [_sum_below(math.log((lines + 1) / MEDIAN) / SIGMA) for lines in range(1, MOST)]
    shares = np.diff([0.0, *at_most, 1.0], prepend=0.0)
    lines = np.arange(MOST + 1)
    pairs = lines * (lines - 1) / 2
    mean, a_line = shares @ lines, (shares @ pairs) / (shares @ lines)
    return Tail(
        shares,
        float(mean),
        float(np.sqrt(shares @ lines**2 - mean**2)),
        float(a_line),
        float(np.sqrt(shares @ (pairs - a_line * lines) ** 2) / mean),
    )


def _sum_below(z: float) -> float:
    """Probability that the sum of twelve uniform numbers less six is below `z` (Irwin 1927, Hall 1927)."""
    if z > 0:
        return 1 - _sum_below(-z)
    x = z + _PARTS / 2
    if x <= 0:
        return 0.0
    terms = ((-1) ** k * math.comb(_PARTS, k) * (x - k) ** _PARTS for k in range(math.floor(x) + 1))
    return math.fsum(terms) / math.factorial(_PARTS)
