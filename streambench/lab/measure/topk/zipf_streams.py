"""The streams of paper 002, section 5: Zipf's law over an alphabet of 5 million, a million items to a stream.

Item i of the alphabet has a share that is as i ** -alpha. Its id says nothing of its rank: ids lie all over 64 bits.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

ALPHABET = 5_000_000
BLOCK = 1 << 20  # items that are drawn at once

Items = npt.NDArray[np.uint64]
Tell = Callable[[int], None]
"""Called with the number of streams that are made."""


def zipf_streams(
    alpha: float, streams: int, items: int, seed: int = 1, alphabet: int = ALPHABET, tell: Tell = lambda count: None
) -> list[Items]:
    """As many ``streams`` of ``items`` each: for a seed always the same ones, however many there are, and how long."""
    ids, shares = ids_of(alphabet), shares_up_to(alpha, alphabet)
    generated = []
    for number in range(streams):
        tell(number)
        random = np.random.default_rng([seed, number])
        stream = np.empty(items, np.uint64)
        for begin in range(0, items, BLOCK):
            drawn = random.random(min(BLOCK, items - begin)) * shares[-1]
            order = np.argsort(drawn)  # in order all that is looked up is near what was looked up before
            ranks = np.searchsorted(shares, drawn[order], side="right")
            stream[begin + order] = ids[np.minimum(ranks, alphabet - 1)]
        generated.append(stream)
    return generated


@functools.lru_cache(maxsize=1)
def shares_up_to(alpha: float, alphabet: int) -> npt.NDArray[np.float64]:
    """Of all items up to each rank together; the last is not 1."""
    return np.cumsum(np.arange(1, alphabet + 1, dtype=np.float64) ** -alpha)


@functools.lru_cache(maxsize=1)
def ids_of(alphabet: int) -> Items:
    """The ids of all items by rank, each another one."""
    mixed = np.arange(1, alphabet + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # one to one, as every step is
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


class ExactCounts:
    """How often each item is in the streams together."""

    def __init__(self, streams: Sequence[Items]) -> None:
        self.items, self.counts = np.unique(np.concatenate(streams), return_counts=True)
        self.n = int(self.counts.sum())

    def times(self, laps: int) -> ExactCounts:
        """Those of as many laps of the same streams."""
        multiple = copy.copy(self)
        multiple.counts, multiple.n = laps * self.counts, laps * self.n
        return multiple

    def of(self, items: Items) -> npt.NDArray[np.int64]:
        """Of each of these, 0 where it is in no stream."""
        places = np.minimum(np.searchsorted(self.items, items), len(self.items) - 1)
        return np.where(self.items[places] == items, self.counts[places], 0)
