"""What paired ratios say about a limit, however often one looks.

Of n ratios how many lie above the true median is a matter of n fair coins. A look after every pair would give chance
as many chances, so the interval here is one that covers the median at all looks together: a bet that the coin is not
fair, whose stake grows by 1/alpha with a probability of alpha at most, ever (Ville, 1939; Robbins, Ann. Math. Stat. 41,
1970; of quantiles: Howard and Ramdas, Bernoulli 28, 2022). Its ends are ratios that were measured, as in
``streambench.lab.record.statistics``, only farther out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cache
from statistics import median

from streambench.lab.record.statistics import Interval

MOST_PAIRS = 200  # what so many cannot tell is not worth telling
CONFIDENCE = 0.95  # that none of a gate's regressions is a false alarm


class Verdict(StrEnum):
    PASS = "pass"
    REGRESSED = "regressed"
    OPEN = "cannot tell"


def stake(n: int, above: int) -> Fraction:
    """What 1 has grown to that was bet on the side where ``above`` of ``n`` values lie, spread evenly over all coins
    that favour it.

    Whatever the values are distributed like, it reaches 1/alpha after any n with a probability of alpha at most if not
    more than half of them lie on that side in the long run.
    """
    return Fraction(sum(math.comb(n + 1, k) for k in range(above + 1)), (n + 1) * math.comb(n, above))


@cache
def rank(n: int, alpha: float) -> int:
    """The greatest k such that from the k-th least to the k-th greatest of ``n`` values covers the true median, of
    all n that ever come together, with 1 - ``alpha`` at least; 0 where there are too few."""
    order = 0
    for k in range(1, (n + 1) // 2 + 1):
        if stake(n, n - k + 1) < 2 / alpha:
            break
        order = k
    return order


def interval(ratios: Sequence[float], alpha: float) -> Interval:
    """The median of the ratios with an interval for all looks; without coverage where they are too few.

    Raises ValueError for no ratios.
    """
    ranked = sorted(ratios)
    k = rank(len(ranked), alpha)
    low, high = (ranked[k - 1], ranked[-k]) if k else (ranked[0], ranked[-1])
    if len(ranked) == 1:
        low = high = math.nan
    return Interval(median(ranked), low, high, len(ranked), 1 - alpha if k else None)


def judged(interval: Interval, limit: float) -> Verdict:
    """``interval``: of ratios above 1 where the new side is worse; ``limit``: the greatest ratio that may pass."""
    if interval.coverage is None or interval.low <= limit <= interval.high:
        return Verdict.OPEN
    return Verdict.REGRESSED if interval.low > limit else Verdict.PASS


def resolution(same: Sequence[float], pairs: int, alpha: float) -> float:
    """The limit that ``pairs`` ratios as noisy as those of one program with itself can tell from no change.

    An interval of so many leaves as many outside on either side as ``rank`` says; what remains of the ratios ``same``,
    taken either way round, reaches as far as this. Infinite where so many pairs are too few for an interval.
    """
    pairs = min(pairs, MOST_PAIRS)
    k = rank(pairs, alpha)
    if not k:
        return math.inf
    distances = sorted(abs(math.log(each)) for each in same)
    place = math.ceil((1 - 2 * (k - 1) / pairs) * len(distances)) - 1
    return math.exp(distances[min(max(place, 0), len(distances) - 1)])
