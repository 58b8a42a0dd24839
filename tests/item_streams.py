"""Streams of items that are hard on top-k summaries, and what any summary must answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Items = npt.NDArray[np.uint64]


def zipf(n: int, alpha: float, alphabet: int, seed: int = 1) -> Items:
    """The law of paper 002, section 5: item i has a share that is as i ** -alpha; its id says nothing of its rank."""
    random = np.random.default_rng(seed)
    shares = np.cumsum(np.arange(1, alphabet + 1, dtype=np.float64) ** -alpha)
    ranks = np.searchsorted(shares, random.random(n) * shares[-1], side="right")
    return scattered(np.minimum(ranks, alphabet - 1))


def scattered(numbers: Any) -> Items:
    """One to one, all over the 64 bits."""
    return np.asarray(numbers).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def round_robin(n: int, distinct: int) -> Items:
    """With one item more than there are counters each one is evicted before it comes again."""
    return scattered(np.arange(n) % distinct)


def ascending(n: int, distinct: int) -> Items:
    """All of one item, then all of the next; ids are neighbours, 0 among them."""
    return np.sort(np.arange(n, dtype=np.uint64) % np.uint64(distinct))


def bursts(n: int, seed: int = 1) -> Items:
    """One item many times in a row, then another; among them ones that never come again, and the greatest id."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 200, n // 50 + 2)
    ids = np.where(
        random.random(len(lengths)) < 0.5, random.integers(0, 40, len(lengths)), np.arange(len(lengths)) + 100
    )
    stream = np.repeat(ids.astype(np.uint64), lengths)[:n]
    stream[stream == 7] = np.uint64(2**64 - 1)
    return stream


STREAMS: dict[str, Callable[[int], Items]] = {
    "uniform": lambda n: zipf(n, 0.0, 50_000),
    "zipf 0.5": lambda n: zipf(n, 0.5, 50_000),
    "zipf 1.0": lambda n: zipf(n, 1.0, 50_000),
    "zipf 1.5": lambda n: zipf(n, 1.5, 50_000),
    "round robin": lambda n: round_robin(n, 101),
    "ascending": lambda n: ascending(n, 1_000),
    "bursts": bursts,
}
"""By name; `round robin` is made for 100 counters."""


def exact(*streams: Items) -> dict[int, int]:
    items, counts = np.unique(np.concatenate(streams), return_counts=True)
    return dict(zip(items.tolist(), counts.tolist(), strict=True))


def check(snapshot: tuple[Any, ...], true: dict[int, int], epsilon: float, *, most: int | None = None) -> None:
    """In a quiet moment: intervals hold the true counts, nothing above `epsilon` N is missed, there are `most` rows."""
    items, counts, errors, floor, n, in_flight = snapshot
    assert in_flight == 0
    assert n == sum(true.values())
    assert len(set(items.tolist())) == len(items)
    assert most is None or len(items) <= most
    listed = set()
    for item, count, error in zip(items.tolist(), counts.tolist(), errors.tolist(), strict=True):
        listed.add(item)
        assert 0 <= error <= epsilon * n, (item, count, error)
        assert count - error <= true.get(item, 0) <= count, (item, count, error)
    assert floor <= epsilon * n
    missed = {item: often for item, often in true.items() if item not in listed and often > floor}
    assert not missed, f"more often than the floor {floor}: {missed}"
    in_order = sorted(zip((-counts).tolist(), items.tolist(), strict=True))
    assert [item for _, item in in_order] == items.tolist()
