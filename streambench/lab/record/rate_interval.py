"""How sure a searched rate is: the interval that the runs at all rates tried leave for it.

A run meets the bound by a chance that falls as the rate grows: here as a logistic curve over the rate's logarithm. What
is looked for is the rate at which the chance is one half. How steep the curve is, the runs tell hardly: slopes are
averaged over, as far as the runs allow each, rates and slopes being equally likely beforehand on a logarithmic scale.
So the interval, which has 95 % of what is left (Watson and Pelli 1983), also says how much runs at one rate differ by
chance: the search goes on to a few percent where such a chance decides. A test simulates how often it holds the rate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

OUTSIDE = 0.025  # of what is left, at either end
FARTHEST = 4.0  # times the lowest and the highest rate tried
OPEN = 0.01  # of the likeliest place: an end is open where the farthest place is as likely as this
PLACES = 300
SLOPES = np.geomspace(3.0, 96.0, 11)  # log odds over the rate's logarithm: 3:1 to 1:3 within a factor of 2.1 to 1.02


def rate_interval(runs: Mapping[float, Sequence[bool | None]]) -> tuple[float, float]:
    """The lower and the upper end, from what each rate's runs say: met the bound, missed it, or missed it doubtfully.

    A doubtful miss (None) is a miss for the lower end and nothing for the upper one: so either can only be too far out.
    An open end is 0 or infinite.
    """
    doubted = {rate: (met.count(True), len(met) - met.count(True)) for rate, met in runs.items()}
    sure = {rate: (met.count(True), met.count(False)) for rate, met in runs.items()}
    return _ends(doubted)[0], _ends(sure)[1]


def _ends(tried: Mapping[float, tuple[int, int]]) -> tuple[float, float]:
    """Of rates with their hits and misses."""
    rates = np.array(list(tried))
    hits, misses = np.array(list(tried.values())).T
    places = np.geomspace(rates.min() / FARTHEST, rates.max() * FARTHEST, PLACES)
    odds = SLOPES[:, None, None] * np.log(places[:, None] / rates)  # log odds of a hit: by slope, place and rate
    likelihood = np.exp(-np.logaddexp(0, -odds) @ (hits + misses) - odds @ misses).sum(axis=0)
    low, high = np.searchsorted(np.cumsum(likelihood) / likelihood.sum(), (OUTSIDE, 1 - OUTSIDE))
    open_low, open_high = likelihood[[0, -1]] > OPEN * likelihood.max()
    return 0.0 if open_low else float(places[low]), math.inf if open_high else float(places[high])
