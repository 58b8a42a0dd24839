"""Keys of parametric streams: whole numbers from 0 to key_space - 1, drawn from a distribution with a seed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from streambench.queries.parametric.operators import key_step

Keys = npt.NDArray[np.int64]


def uniform(tuples: int, key_space: int, seed: int) -> Keys:
    """Every key is as likely as any other."""
    return np.random.default_rng(seed).integers(0, key_space, tuples)


def normal(tuples: int, key_space: int, seed: int, sigma: float) -> Keys:
    """N(0, sigma) values in [-1, 1], redrawn when outside, scaled to the key space (paper 000, section 7.2.1).

    Cut into ranges, the middle partitions get most: the more, the smaller ``sigma`` is.
    """
    random = np.random.default_rng(seed)
    drawn = np.empty(tuples)
    missing = tuples
    while missing:
        values = random.normal(0.0, sigma, max(missing, 1024))
        inside = values[np.abs(values) <= 1][:missing]
        drawn[tuples - missing : tuples - missing + len(inside)] = inside
        missing -= len(inside)
    keys = ((drawn + 1) / 2 * key_space).astype(np.int64)
    return _at_most(keys, key_space - 1)  # 1 itself belongs to the last key


def zipf(tuples: int, key_space: int, seed: int, exponent: float) -> Keys:
    """Key k has a probability proportional to 1 / (k + 1) ** exponent.

    Keys are in the order of their rank, not shuffled: cut into ranges, the first partition gets most. By a hash, the
    heavy keys fall into partitions at random.
    """
    cumulative = np.cumsum(np.arange(1, key_space + 1, dtype=np.float64) ** -exponent)
    chosen = np.random.default_rng(seed).random(tuples) * cumulative[-1]
    keys = np.searchsorted(cumulative, chosen, side="right").astype(np.int64)
    return _at_most(keys, key_space - 1)  # rounding may reach the end


def heat(keys: Keys, key: int, seed: int, share: float) -> None:
    """Make the ``share`` of ``keys`` one and the same ``key``, in place."""
    keys[np.random.default_rng([seed, 1]).random(len(keys)) < share] = key


def drawn(keys: Keys, ids: Keys, most: float, random: np.random.Generator) -> tuple[Keys, Keys]:
    """About ``most`` of the tuples with these keys and ids, in their order; all, where there are no more."""
    if len(keys) <= most:
        return keys, ids
    chosen = np.unique(random.integers(0, len(keys), round(most)))
    return keys[chosen], ids[chosen]


def emitted(keys: Keys, ids: Keys, selectivity: float, key_space: int) -> tuple[Keys, Keys]:
    """The keys and ids of what a parametric operator makes of tuples with these keys and ids."""
    first = (ids * selectivity).astype(np.int64)
    outputs = ((ids + 1) * selectivity).astype(np.int64) - first
    place = np.arange(outputs.sum()) - np.repeat(np.cumsum(outputs) - outputs, outputs)  # among those of one tuple
    return (np.repeat(keys, outputs) + place * key_step(key_space)) % key_space, np.repeat(first, outputs) + place


def _at_most(keys: Keys, last: int) -> Keys:
    return np.minimum(keys, last, out=keys)
