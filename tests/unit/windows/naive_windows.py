"""Windows by their definition: all windows of a key that a tuple is in, each computed from a list of its tuples.

Shares no code with the runtime. A tuple is (time, key, value), in the order of the stream; None is null.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Tuple = tuple[int, Any, Any]


@dataclass(frozen=True)
class Naive:
    """Bounds as ``Window`` has them, the functions by name, and what is to happen at the end of the stream."""

    shape: str
    size: int
    step: int
    origin: int = 0
    flush: bool = True
    fill: bool = False


def windows(tuples: Sequence[Tuple], of: Naive) -> list[tuple[int, int, Any, list[Any]]]:
    """(start, end, key, values) of each window, in the order in which they are emitted."""
    if of.shape == "counted":
        return counted(tuples, of)
    found = sessions(tuples, of) if of.shape == "session" else timed(tuples, of)
    if of.fill and found:
        last = max(found)[0]
        there = {start for start, *_ in found}
        start = min(there)
        while start < last:
            if start not in there:
                found.append((start, start + of.size, (), []))
            start += of.step
    if not of.flush and tuples:
        found = [each for each in found if each[1] <= tuples[-1][0]]
    return sorted(found, key=lambda each: (each[1], each[2]))


def timed(tuples: Sequence[Tuple], of: Naive) -> list[tuple[int, int, Any, list[Any]]]:
    members = defaultdict(list)
    for time, key, value in tuples:
        start = (time - of.origin) // of.step * of.step + of.origin
        while start > time - of.size:
            members[start, key].append(value)
            start -= of.step
    return [(start, start + of.size, key, values) for (start, key), values in members.items()]


def sessions(tuples: Sequence[Tuple], of: Naive) -> list[tuple[int, int, Any, list[Any]]]:
    by_key: dict[Any, list[tuple[int, int, list[Any]]]] = defaultdict(list)
    for time, key, value in tuples:
        of_key = by_key[key]
        if of_key and time < of_key[-1][1] + of.size:
            start, _, values = of_key.pop()
            of_key.append((start, time, [*values, value]))
        else:
            of_key.append((time, time, [value]))
    return [(start, last + of.size, key, values) for key, each in by_key.items() for start, last, values in each]


def counted(tuples: Sequence[Tuple], of: Naive) -> list[tuple[int, int, Any, list[Any]]]:
    values_of: dict[Any, list[Any]] = defaultdict(list)
    found, left = [], []
    for _, key, value in tuples:
        values_of[key].append(value)
        n = len(values_of[key])
        if n >= of.size and (n - of.size) % of.step == 0:
            found.append((n - of.size, n, key, values_of[key][n - of.size :]))
    for key, values in values_of.items():
        start = 0
        while start < len(values):
            if start + of.size > len(values):
                left.append((start, start + of.size, key, values[start:]))
            start += of.step
    return [*found, *(sorted(left, key=lambda each: (each[1], each[2])) if of.flush else [])]


def quantile(values: list[Any], share: float) -> float:
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    if place == low:
        return float(ordered[low])
    return float(ordered[low] + (ordered[low + 1] - ordered[low]) * (place - low))


def variance(values: list[Any], lost: float) -> float:
    if len(values) <= lost:
        return math.nan
    mean = math.fsum(values) / len(values)
    return math.fsum((each - mean) ** 2 for each in values) / (len(values) - lost)


def most(values: list[Any], k: int, null: Any) -> list[Any]:
    ranked = sorted(Counter(values).items(), key=lambda each: (-each[1], each[0]))[:k]
    return [each for pair in [*ranked, *[(null, 0)] * (k - len(ranked))] for each in pair]


def wrapped(total: int) -> int:
    return (total + 2**63) % 2**64 - 2**63


def aggregates(null: Any, floating: bool) -> dict[str, Callable[[list[Any]], list[Any]]]:
    """What each aggregate of a window's values is, as a list of columns."""

    def of(compute: Callable[[list[Any]], Any], nothing: Any) -> Callable[[list[Any]], list[Any]]:
        def computed(values: list[Any]) -> list[Any]:
            there = [each for each in values if each is not None]
            return [compute(there) if there else nothing]

        return computed

    return {
        "rows": lambda values: [len(values)],
        "count": of(len, 0),
        "sum": of(math.fsum if floating else lambda values: wrapped(sum(values)), 0),
        "mean": of(lambda values: math.fsum(values) / len(values), math.nan),
        "var": of(lambda values: variance(values, 1), math.nan),
        "var0": of(lambda values: variance(values, 0), math.nan),
        "min": of(min, null),
        "max": of(max, null),
        "first": of(lambda values: values[0], null),
        "last": of(lambda values: values[-1], null),
        "distinct": of(lambda values: len(set(values)), 0),
        "median": of(lambda values: quantile(values, 0.5), math.nan),
        "low": of(lambda values: quantile(values, 0.1), math.nan),
        "top": lambda values: most([each for each in values if each is not None], 2, null),
    }
