"""Both ScaleGates under real threads, with yields injected between their steps: each reader gets the one order."""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace

import pytest
from streambench.pyx.machine.yield_points import inject

KINDS = ["ring", "skip-list"]


def streams(sources: int, n: int, seed: int, *, step: int = 2) -> list[list[int]]:
    """Rising times; ties within and between sources are frequent, and the last of several sources stays silent."""
    draw = random.Random(seed)
    some = [list(itertools.accumulate(draw.choices(range(step + 1), k=n))) for _ in range(sources)]
    return [*some[:-1], []] if sources > 2 else some


def in_order(some: list[list[int]]) -> list[tuple[int, int, int]]:
    return sorted((ts, s, k) for s, times in enumerate(some) for k, ts in enumerate(times))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("sources", "readers"), [(1, 1), (2, 1), (2, 3), (4, 2), (11, 2)])
@pytest.mark.parametrize(("capacity", "batch", "at_most"), [(2, 1, 1), (8, 3, 5), (256, 40, 64)])
@pytest.mark.parametrize("seed", [0, 3])
def test_every_reader_gets_all_tuples_in_the_one_order(
    probes: SimpleNamespace, kind: str, sources: int, readers: int, capacity: int, batch: int, at_most: int, seed: int
) -> None:
    inject(5 if seed else 0, seed)
    some = streams(sources, 600, seed)
    driver = probes.GateTraffic(kind, some, readers, capacity, batch, at_most, beat_every=3, strength=1)
    driver.run(sources + readers)
    read, wrong = driver.result()
    assert wrong == 0
    assert read == [in_order(some)] * readers


@pytest.mark.slow  # many tuples
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("injected", [0, 50])
def test_memory_stays_bounded_over_a_long_run(probes: SimpleNamespace, kind: str, injected: int) -> None:
    inject(injected, 1)
    some = streams(2, 200_000, 1, step=4)
    driver = probes.GateTraffic(kind, some, 2, 128, at_most=64)
    driver.run(4)
    read, wrong = driver.result()
    assert wrong == 0
    assert read == [in_order(some)] * 2
    assert driver.allocated() < 4000  # of 400,000 tuples


@pytest.mark.slow  # many interleavings
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("one_in", "seed"), [(2, 1), (3, 2), (20, 3), (200, 4)])
@pytest.mark.parametrize(("sources", "readers", "capacity"), [(3, 1, 2), (7, 5, 4), (16, 4, 32)])
def test_the_order_holds_with_more_threads_than_cores(
    probes: SimpleNamespace, kind: str, one_in: int, seed: int, sources: int, readers: int, capacity: int
) -> None:
    inject(one_in, seed)
    some = streams(sources, 700, seed, step=1)
    driver = probes.GateTraffic(kind, some, readers, capacity, 1 + seed, 7, beat_every=5 * (seed % 2), strength=2)
    driver.run(sources + readers)
    read, wrong = driver.result()
    assert wrong == 0
    assert read == [in_order(some)] * readers
