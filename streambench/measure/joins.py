"""Comparisons per second of the join's tiers, as ratios within one run: ``python -m streambench.measure.joins``.

The paper's tuples and predicate (001, section VI): bands of 10 over integers and floats from 1 to 10,000. A window is
filled by one side, then the other side's tuples are compared with all of it, so that each run has windows of one size
from its start; the index, which needs no such help, joins two streams of twice the window. Its comparisons are those
that a scan would have made.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

Measure = Callable[[], float]
PROBES = {"scan": 64, "simd": 8192, "codes": 16384}
"""Tuples that are compared with the whole window, by tier: a run takes some tenths of a second at 262,144."""


def paper_join(window: int, left: int, right: int, apart: bool) -> Definition:
    """Streams of so many tuples, one of each at a time; ``apart``: the right one begins when the left one has ended."""
    random = np.random.default_rng(1)

    def values(n: int) -> tuple[np.ndarray, np.ndarray]:
        return random.integers(1, 10_001, n), random.uniform(1, 10_000, n).astype(np.float32)

    begin = left if apart else 0
    ts = np.arange(left), np.arange(begin, begin + right)
    terms = [(a, b, 10) for a, b in zip(values(left), values(right), strict=True)]
    return Definition(*ts, terms, left + right if apart else window, "exact")


def rate(definition: Definition, tier: str, threads: int, comparisons: int) -> float:
    """Comparisons per second of one run."""
    crew = JoinCrew(definition, tier, threads)
    crew.run()
    return comparisons / crew.seconds


def named(tier: str, threads: int) -> str:
    return f"{tier}, {threads} thread{'s' * (threads > 1)}"


def measures(window: int) -> dict[str, Measure]:
    """What is measured, by name."""
    found: dict[str, Measure] = {}
    for tier, probes in PROBES.items():
        definition = paper_join(window, window, probes, apart=True)
        for threads in (1,) if tier == "scan" else (1, 2):
            found[named(tier, threads)] = partial(rate, definition, tier, threads, definition.pairs)
    streams = paper_join(window, 2 * window, 2 * window, apart=False)
    for threads in (1, 2):
        found[named("index", threads)] = partial(rate, streams, "index", threads, streams.pairs)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="comparisons per second of the join's tiers, and their ratios")
    parser.add_argument("--window", type=int, default=1 << 18, help="tuples of a window")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    each = measures(given.window)
    rates: dict[str, list[float]] = {name: [] for name in each}
    for repeat in range(given.repeats):
        for name in each if repeat % 2 == 0 else reversed(each):
            rates[name].append(each[name]())
    base, simd = rates["scan, 1 thread"], rates["simd, 1 thread"]
    print(f"window of {given.window} tuples a side, {given.repeats} repeats: medians")
    print(f"{'tier':18} {'10^9 comparisons/s':>19} {'to scan':>9} {'to simd':>9}")
    for name, found in rates.items():
        to = [statistics.median(a / b for a, b in zip(found, other, strict=True)) for other in (base, simd)]
        print(f"{name:18} {statistics.median(found) / 1e9:19.2f} {to[0]:9.1f} {to[1]:9.2f}")


if __name__ == "__main__":
    main()
